/** Computes the figures of a row from its samples, and prints a line of the table. */

/** True if several processes do the work. Then a row compares clock times, otherwise processor times. */
const byClock = ({ drive, whole }) => drive !== undefined || whole === true;

/** The figures of a row: the ratio of each contender to the base, the goal, the missed parts of it, wrong results. */
export function concluded(row, samples) {
  const { id, work, base, goal } = row;
  const contenders = Object.fromEntries(
    Object.entries(samples)
      .filter(([, all]) => all.length > 0)
      .map(([name, all]) => [name, figures(row, all, base && samples[base])]),
  );
  const [first] = Object.values(samples).flat();
  const wrong = Object.entries(samples)
    .filter(([, all]) =>
      all.some(({ answer }) => answer !== first.answer || answer === false || (row.whole && answer !== 'right')),
    )
    .map(([name]) => `${id}: ${name} gives a wrong result`);
  return { id, work, base, goal: goalText(goal), contenders, misses: misses(goal, contenders.countersign), wrong };
}

function figures(row, all, base) {
  const cost = byClock(row) ? 'clock' : 'cpu';
  // A goal `atLeast` compares rates, and a goal `atMost` compares times.
  const ratio = (mine, its) => (row.goal.atLeast === undefined ? mine / its : its / mine);
  const ratios = base && all.map((sample, i) => ratio(sample[cost], base[i][cost])).sort((a, b) => a - b);
  return {
    ...(ratios ? { ratio: median(ratios), lowest: ratios[0], highest: ratios.at(-1) } : {}),
    seconds: median(all.map((sample) => sample[cost])),
    ...(row.whole ? { memory: median(all.map((sample) => sample.memory)) } : {}),
  };
}

function goalText({ atLeast, atMost, seconds, memory }) {
  const parts = [
    atLeast && `>= ${atLeast}`,
    atMost && `<= ${atMost}`,
    seconds && `<= ${seconds} s`,
    memory && `<= ${memory} MB`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** The factor by which each part of the goal is missed. Empty if the goal is reached. */
function misses({ atLeast, atMost, seconds, memory }, ours) {
  const parts = [
    ['', atLeast && atLeast / ours.ratio],
    ['', atMost && ours.ratio / atMost],
    ['', seconds && ours.seconds / seconds],
    [' in memory', memory && ours.memory / memory],
  ];
  return parts.filter(([, by]) => by > 1).map(([what, by]) => `${by.toFixed(2)}x off${what}`);
}

const widths = [10, 48, 18, 22, 40];

/** The heading of the table. A smoke run only shows whether contenders agree, because one unit measures nothing. */
export function titles(smoke) {
  return smoke ? 'row  answers' : `${columns(['row', 'work', 'goal', 'countersign', 'peers'])}goal is`;
}

export function line({ id, work, base, goal, contenders, misses: missed, wrong }, smoke) {
  if (smoke) return `${id}: ${wrong.length === 0 ? 'the same' : 'wrong'} from ${Object.keys(contenders).join(', ')}`;
  const { countersign, ...others } = contenders;
  const peers = Object.entries(others).map(([name, { ratio }]) => `${name} ${name === base ? 1 : short(ratio)}`);
  const { ratio, seconds, memory } = countersign;
  const own = [
    ratio === undefined ? `${short(seconds)} s` : short(ratio),
    goal.includes('MB') ? `${Math.round(memory)} MB` : '',
  ];
  const cells = [id, work, goal, own.filter(Boolean).join(', '), peers.join(', ')];
  return columns(cells) + (missed.length === 0 ? 'reached' : missed.join(', '));
}

function columns(cells) {
  return cells
    .map((cell, i) => `${cell}`.padEnd(widths[i]))
    .join('  ')
    .concat('  ');
}

function short(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.2 ? 3 : 2);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}
