/** The answers to open points that were thought of, each with the observations that speak for it. What fits none is news. */
import type { OpenPointId } from './open-points.ts';

export interface Hypothesis {
  readonly name: string;
  /** Regular expression on the value of an observation. */
  readonly seen: string;
}

function named(answers: Readonly<Record<string, string>>): readonly Hypothesis[] {
  return Object.entries(answers).map(([name, seen]) => ({ name, seen }));
}

const takenOrNot = named({ taken: ': accepted$', refused: ': refused$' });

/** Of every open point that can be probed. */
export const hypotheses: Readonly<Partial<Record<OpenPointId, readonly Hypothesis[]>>> = {
  A1: named({
    'another canonicalisation': 'taken in place of RFC 5849$',
    'other canonicalisations too': 'taken beside RFC 5849$',
    'the one of RFC 5849': ': accepted$',
    'a request of the right form is refused': ': refused$',
  }),
  A3: named({
    'a window around the clock': '^seconds (?:behind|ahead of) the clock: about',
    'no window was found': '^seconds .* or more$',
    'nonces are forgotten': '^nonces remembered: (?!.* or more)',
    'nonces are remembered': '^nonces remembered: .* or more$',
    taken: ': accepted$',
    refused: ': refused$',
  }),
  A4: takenOrNot,
  A5: named({ unwrapped: '^not wrapped$', wrapped: '^wrapped' }),
  A6: named({ 'finished alone': '^status finished$', 'error 99': 'errorCode 99', 'other errors': 'errorCode (?!99)' }),
  A7: takenOrNot,
  A8: takenOrNot,
  A9: takenOrNot,
  A10: named({ text: '^string$', number: '^number$' }),
  A11: named({ UTC: '^zone (?:UTC|GMT)$', 'a zone of its own': '^zone ' }),
  A12: takenOrNot,
  A13: named({
    'a bound in characters': '-astral-characters: accepted$|-256-in-bytes: accepted$',
    'a bound in bytes': '-256-in-bytes: refused$',
    'a measured bound': '^characters of ',
    taken: ': accepted$',
    refused: ': refused$',
  }),
  A14: takenOrNot,
  A15: takenOrNot,
  A16: takenOrNot,
  A17: named({
    'empty answers alone': 'an empty body$',
    'a body of 2.4': 'the parameters of 2.4$',
    'another body': 'another body$',
  }),
  A18: named({ 'a byte': '^0x0A as a byte, ', 'an escape': '^0x0A as %0A, ', 'left out': '^no 0x0A$' }),
  A19: named({ 'an error': 'type (?:validation-)?error', 'a success': 'type process' }),
  A20: named({
    'a parameter': '^parameter ',
    'in the message': '^in error-message$',
    'a header': '^header ',
    nowhere: '^nowhere$',
  }),
  A21: named({ authentication: '^authentication/', 'the batch': '^recurring/' }),
  A22: named({ 'the whole batch is taken': ': accepted$', 'the whole batch is refused': ': refused$' }),
  A23: named({
    'a measured bound': '^(?:rows of|bytes of) .*: [\\d ]+(?:to \\d+)?$',
    'no bound was found': ' or more$',
    taken: ': accepted$',
    refused: ': refused$',
  }),
  A24: named({ '64 bits': '^gateId above 2\\^53$', 'within 53 bits': '^gateId within 2\\^53$' }),
  A27: named({ JSON: '^JSON$', 'another form': '^not JSON$' }),
  A28: named({
    'the endpoint id': '^epntId is the endpoint id$',
    'another number': '^epntId is another number$',
    'a locked gate finishes': 'locked gate: .*finished$',
    'a locked gate is an error': 'locked gate: .*error',
    taken: ': accepted$',
    refused: ': refused$',
  }),
  A29: takenOrNot,
  A30: takenOrNot,
  A31: takenOrNot,
  A32: takenOrNot,
  A33: takenOrNot,
  A34: named({ processing: '^status processing$', 'another status': '^status ' }),
  A35: named({
    'the body of 2.2': 'HTTP 200 with error',
    'HTTP 401': 'HTTP 401',
    'an empty 403': 'HTTP 403 with an empty body',
    'HTTP 403': 'HTTP 403',
  }),
  A36: named({ 'asked once': ': 1 request\\b', 'asked again': ': \\d+ requests' }),
  A37: takenOrNot,
  A38: takenOrNot,
};

/** The first hypothesis that the observation speaks for. */
export function hypothesisOf(openPoint: string, value: string): string | undefined {
  const known: Readonly<Partial<Record<string, readonly Hypothesis[]>>> = hypotheses;
  return known[openPoint]?.find(({ seen }) => new RegExp(seen).test(value))?.name;
}
