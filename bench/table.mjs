/** From the samples of a row to its figures, and to one line of the table. */

/** The clock counts where several processes work together; elsewhere the processor does. */
const byClock = ({ drive, full }) => drive !== undefined || full === true;

/** Figures of a row: each contender's ratio to the base, the goal, by how much it is missed, and what was answered wrongly. */
export function concluded(row, samples, instructions) {
  const { id, work, base } = row;
  const cost = byClock(row) ? 'clock' : 'cpu';
  const contenders = Object.fromEntries(
    Object.entries(samples)
      .filter(([, all]) => all.length > 0)
      .map(([name, all]) => [name, figures(row, all, base && samples[base], cost, name, instructions)]),
  );
  const [first] = Object.values(samples).flat();
  const wrong = Object.entries(samples).flatMap(([name, all]) =>
    all.some(({ answer }) => answer !== first.answer || answer === false || /^exit code [^0]/.test(answer))
      ? [`${id}: ${name} gives a wrong result`]
      : [],
  );
  return {
    id,
    work,
    base,
    measure: cost,
    goal: goalText(row),
    contenders,
    misses: misses(row, contenders.countersign),
    wrong,
  };
}

function figures(row, all, base, cost, name, instructions) {
  // At least so fast as a part of the base, or at most so dear as a multiple of it.
  const turned = row.goal.atLeast === undefined ? (mine, its) => mine / its : (mine, its) => its / mine;
  const ratios = (of) => (base ? all.map((sample, i) => turned(sample[of], base[i][of])) : []);
  const spread = ratios(cost).sort((a, b) => a - b);
  const counted = instructions && { instructions: turned(instructions[name], instructions[row.base]) };
  return {
    ...(base ? { ratio: median(spread), lowest: spread[0], highest: spread.at(-1), byCpu: median(ratios('cpu')) } : {}),
    ...counted,
    seconds: median(all.map((sample) => sample[cost])),
    ...(all[0].p99 && base ? { p99: median(all.map(({ p99 }, i) => p99 / base[i].p99)) } : {}),
    growthMB: Math.max(...all.map(({ growth }) => growth)),
    residentMB: all.at(-1).resident,
  };
}

function goalText({ goal, growth }) {
  const { atLeast, atMost, seconds, memory, p99 } = goal;
  return [
    atLeast && `>= ${atLeast}`,
    atMost && `<= ${atMost}`,
    seconds && `<= ${seconds} s`,
    memory && `<= ${memory} MB`,
    p99 && `p99 <= ${p99}`,
    growth && `+${growth} MB`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** By what factor each part of the goal is missed; empty where it is reached. */
function misses({ goal, growth }, ours) {
  const parts = [
    ['', goal.atLeast, goal.atLeast / (ours.instructions ?? ours.ratio)],
    ['', goal.atMost, ours.ratio / goal.atMost],
    ['', goal.seconds, ours.seconds / goal.seconds],
    [' in memory', goal.memory, ours.residentMB / goal.memory],
    [' in p99', goal.p99, ours.p99 / goal.p99],
    [' in growth', growth, ours.growthMB / growth],
  ];
  return parts
    .filter(([, part, by]) => part !== undefined && by > 1)
    .map(([what, , by]) => `${by.toFixed(2)}x off${what}`);
}

const widths = [18, 60, 18, 34, 42];

/** A smoke run only says whether the contenders agree: a handful of units measures nothing. */
export function titles(smoke) {
  return smoke ? 'row  answers' : `${columns(['row', 'work', 'goal', 'countersign', 'peers'])}goal is`;
}

export function line({ id, work, base, measure, goal, contenders, misses: missed, wrong }, smoke) {
  if (smoke) return `${id}: ${wrong.length === 0 ? 'the same' : 'wrong'} from ${Object.keys(contenders).join(', ')}`;
  const { countersign, ...others } = contenders;
  const peers = Object.entries(others)
    .map(([name, { ratio }]) => (name === base ? `${name} 1` : `${name} ${short(ratio)}`))
    .join(', ');
  return (
    columns([id, work, goal, ourFigures(countersign, goal, measure), peers]) +
    (missed.length === 0 ? 'reached' : missed.join(', '))
  );
}

function ourFigures({ ratio, byCpu, instructions, seconds, p99, growthMB, residentMB }, goal, measure) {
  const parts = [ratio === undefined ? '' : short(ratio), / s/.test(goal) ? `${short(seconds)} s` : ''];
  if (measure === 'clock' && byCpu !== undefined) parts[0] += ` (processor ${short(byCpu)})`;
  if (instructions !== undefined) parts[0] += ` (instructions ${short(instructions)})`;
  if (p99 !== undefined) parts.push(`p99 ${short(p99)}`);
  if (goal.includes('+')) parts.push(`+${Math.round(growthMB)} MB`);
  else if (goal.includes('MB')) parts.push(`${Math.round(residentMB)} MB`);
  return parts.filter(Boolean).join(', ');
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
