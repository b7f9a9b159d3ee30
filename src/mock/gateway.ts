/** The conforming gateway: takes one request, changes the world in place, and returns one answer. */
import { type Altered, joinAlterations } from './alteration.ts';
import type { MockSettings } from './assumptions.ts';
import { nonceOf } from './authentication.ts';
import { beforeAcceptance, conducts, isAuthentication, nextSerial, type Outcome } from './operations.ts';
import { type Reading, type Received, read, route } from './received.ts';
import { emptyReplies, type Reply } from './responses.ts';
import { type About, firstRefusal, type Refusal, type StepContext } from './step.ts';
import type { World } from './world.ts';

export interface Answer extends Reply {
  readonly about: About;
}

/**
 * Changes `world` in place: counters, nonces, gates and serial number.
 * @param request as received, with the URL that the client used
 * @param now milliseconds since the Unix epoch
 * @param altered changes by defects and variants; default none
 */
export function respond(
  request: Received,
  world: World,
  settings: MockSettings,
  now: number,
  altered: Altered = joinAlterations([]),
): Answer {
  world.counters.requests += 1;
  const seen = altered.reads(request);
  const place = route(seen.target, settings.prefix);
  const { reply, ...about } = place
    ? answer(read(seen, request, place, settings.csvDelimiters), world, settings, now, altered)
    : { reply: emptyReplies.notFound, decision: 'not-found' as const };
  if (about.decision === 'refused') world.counters.refused += 1;
  const facts: About = { operation: place?.operation, request, ...about };
  return { ...altered.writes(reply, facts), about: facts };
}

function answer(reading: Reading, world: World, settings: MockSettings, now: number, altered: Altered): Outcome {
  const signs: StepContext['signs'] = (material) => altered.signs(material, reading.original);
  const surroundings = { world, settings, now, signs };
  const conduct = conducts[reading.operation];
  const unauthenticated = firstRefusal(beforeAcceptance, altered.skips, reading, surroundings);
  if (unauthenticated) {
    const { step } = unauthenticated;
    return isAuthentication(step) && altered.takes(reading, step, world)
      ? conduct.act(reading, world, now)
      : refuse(reading, unauthenticated, world, settings);
  }
  // Only a verified request uses up its nonce. Otherwise a forged request could block the real sender.
  remember(nonceOf(reading.oauth, settings), world, settings);
  const fault = firstRefusal(conduct.steps, altered.skips, reading, surroundings);
  if (fault) return refuse(reading, fault, world, settings);
  const reason = altered.refuses(reading, world);
  if (reason !== undefined) return refuse(reading, { step: 'further', reason }, world, settings);
  return conduct.act(reading, world, now);
}

function refuse(reading: Reading, refusal: Refusal, world: World, settings: MockSettings): Outcome {
  const { step, reason } = refusal;
  const refused = { decision: 'refused', step, reason } as const;
  if (step === 'method') return { ...refused, reply: emptyReplies.methodNotAllowed };
  const serial = nextSerial(world);
  return { ...refused, serial, reply: conducts[reading.operation].refusal(refusal, serial, settings) };
}

function remember(nonce: string, { nonces }: World, { maxNonces }: MockSettings): void {
  nonces.add(nonce);
  // Delete many at once, because a new iterator first walks over all deleted entries.
  if (nonces.size <= maxNonces * 1.01) return;
  for (const oldest of nonces) {
    if (nonces.size <= maxNonces) return;
    nonces.delete(oldest);
  }
}
