/** Several symptoms of one cause are shown as one: requirements and interactions that name the same member or header, or got the same answer. */
import type { BehaviourChange, ChangedOutcome, SharedCause } from './difference.ts';

/**
 * The fewest causes that explain what changed for the worse, the one with most symptoms first. One symptom is its own cause and
 * not listed, unless a change on the wire is behind it.
 *
 * @param statementOf the statement of a requirement, which names what it is about
 */
export function sharedCauses(
  symptoms: readonly ChangedOutcome[],
  behaviour: readonly BehaviourChange[],
  interactionCount: number,
  statementOf: (id: string) => string | undefined,
): SharedCause[] {
  const topics = new Map(symptoms.map((symptom) => [symptom, topicsOf(symptom, statementOf(symptom.id))]));
  const causes: SharedCause[] = [];
  const byName = new Map([...behaviour].reverse().map((one) => [one.name?.split('.').at(-1)?.toLowerCase(), one]));
  const changeOf = (about: string) => byName.get(about.toLowerCase());
  let left = [...symptoms];
  for (;;) {
    const about = commonest(left, topics, (topic) => changeOf(topic) !== undefined);
    if (about === undefined) return causes;
    const explained = left.filter((symptom) => topics.get(symptom)!.has(about));
    const { change, name, renamedTo } = changeOf(about) ?? {};
    const ids = (source: ChangedOutcome['source']) =>
      explained.filter((one) => one.source === source).map(({ id }) => id);
    causes.push({
      about,
      ...(change === undefined ? {} : { change, name, renamedTo }),
      requirements: ids('requirement'),
      interactions: ids('pact'),
      ofInteractions: interactionCount,
    });
    left = left.filter((symptom) => !explained.includes(symptom));
  }
}

/** The topic of most symptoms; undefined where none has two, or one that changed on the wire. A broken requirement is among them, or nothing is explained. */
function commonest(
  symptoms: readonly ChangedOutcome[],
  topics: ReadonlyMap<ChangedOutcome, ReadonlySet<string>>,
  isChanged: (topic: string) => boolean,
): string | undefined {
  const counts = new Map<string, { all: number; broken: number }>();
  for (const symptom of symptoms) {
    for (const topic of topics.get(symptom)!) {
      const count = counts.get(topic) ?? { all: 0, broken: 0 };
      count.all += 1;
      if (symptom.new === 'fail') count.broken += 1;
      counts.set(topic, count);
    }
  }
  const [best] = [...counts]
    .filter(([topic, { all, broken }]) => broken > 0 && (all > 1 || isChanged(topic)))
    .sort(
      ([one, a], [other, b]) =>
        b.broken - a.broken || b.all - a.all || Number(isChanged(other)) - Number(isChanged(one)),
    );
  return best?.[0];
}

/** Names as the wire has them: `errorCode`, `Content-Type`, and the parameters of 2.4. */
const wireName = /\b(?:[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+(?:-[A-Z][a-z]+)+|serial-number|error-(?:code|message|id))\b/g;

function topicsOf({ actual = '', expected = '', source }: ChangedOutcome, statement = ''): Set<string> {
  if (source === 'hazard') return new Set();
  const names = `${statement} ${expected} ${actual}`.match(wireName) ?? [];
  // What was received is the cause where it is word for word the same.
  return new Set([...names, ...(source === 'requirement' && actual !== '' ? [actual] : [])]);
}
