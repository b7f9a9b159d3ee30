/** Known answers to open points. Each has a name, and a pattern that matches the observations of a run. */
import type { OpenPointId } from './open-points.ts';

type Hypothesis = string | readonly [pattern: string, unusualReason: string];

const acceptedOrNot = { accepted: ': accepted$', refused: ': refused$' };

const hypotheses: Readonly<Partial<Record<OpenPointId, Readonly<Record<string, Hypothesis>>>>> = {
  A1: {
    'another canonicalisation': 'taken in place of RFC 5849$',
    'other canonicalisations too': 'taken beside RFC 5849$',
    'the canonicalisation of RFC 5849': ': accepted$',
    'a correct request is refused': ': refused$',
  },
  A3: {
    'no time window': [
      '^timestamp-an?-(?:hour|day|year)-ago: accepted$',
      'The gateway has no time window, or a very long one: a recorded request can be sent again as soon as the gateway forgets its nonce.',
    ],
    'a window around the clock': '^seconds (?:behind|ahead of) the clock: about',
    'no window was found': '^seconds .* or more$',
    'nonces are forgotten': '^nonces remembered: (?!.* or more)',
    'nonces are remembered': '^nonces remembered: .* or more$',
    accepted: ': accepted$',
    refused: ': refused$',
  },
  A4: acceptedOrNot,
  A5: { unwrapped: '^not wrapped$', wrapped: '^wrapped' },
  A6: {
    'finished with an error code': [
      '^status finished, errorCode ',
      'A client that checks errorCode first reads this success as a failure.',
    ],
    'finished alone': '^status finished$',
    'error 99': 'errorCode 99',
    'other errors': 'errorCode (?!99)',
  },
  A7: acceptedOrNot,
  A8: acceptedOrNot,
  A9: acceptedOrNot,
  A10: { text: '^string$', number: '^number$' },
  A11: {
    'another day': [
      ': more than two days apart$',
      'The day in gateCloseDate is not the day of the answer. Check the clock of the gateway, and find out which day it closed.',
    ],
    'the day of the answer': ': within two days$',
    'English names': '^English names ',
    'other names': '^names ',
    UTC: '^zone (?:UTC|GMT)$',
    'a zone of its own': '^zone ',
  },
  A12: acceptedOrNot,
  A13: {
    'a limit in characters': '-astral-characters: accepted$|-256-in-bytes: accepted$',
    'a limit in bytes': '-256-in-bytes: refused$',
    'a measured limit': '^characters of ',
    accepted: ': accepted$',
    refused: ': refused$',
  },
  A14: acceptedOrNot,
  A15: acceptedOrNot,
  A16: acceptedOrNot,
  A17: {
    'only empty answers': 'an empty body$',
    'a body of 2.4': 'the parameters of 2.4$',
    'another body': 'another body$',
  },
  A18: { 'a byte': '^0x0A as a byte, ', 'an escape': '^0x0A as %0A, ', 'left out': '^no 0x0A$' },
  A19: { 'an error': 'type (?:validation-)?error', 'a success': 'type process' },
  A20: {
    'a parameter': '^parameter ',
    'in the message': '^in error-message$',
    'a header': '^header ',
    nowhere: '^nowhere$',
  },
  A21: { authentication: '^authentication/', 'the batch': '^recurring/' },
  A22: { 'the whole batch is accepted': ': accepted$', 'the whole batch is refused': ': refused$' },
  A23: {
    'a measured limit': '^(?:rows of|bytes of) .*: [\\d ]+(?:to \\d+)?$',
    'no limit was found': ' or more$',
    accepted: ': accepted$',
    refused: ': refused$',
  },
  A24: { '64 bits': '^gateId above 2\\^53$', 'within 53 bits': '^gateId within 2\\^53$' },
  A27: { JSON: '^JSON$', 'another form': '^not JSON$' },
  A28: {
    'the endpoint id': '^epntId is the endpoint id$',
    'another number': '^epntId is another number$',
    'a locked gate finishes': 'locked gate: .*finished$',
    'a locked gate is an error': 'locked gate: .*error',
    accepted: ': accepted$',
    refused: ': refused$',
  },
  A29: acceptedOrNot,
  A30: {
    'any version': [
      '^the version of the other operation .*: accepted$',
      'The gateway ignores the version in the path: it also answers requests for another version.',
    ],
    'any endpoint': [
      '^the endpoint of another consumer: accepted$',
      'A consumer can close days and start payments at an endpoint of another consumer.',
    ],
    ...acceptedOrNot,
  },
  A31: acceptedOrNot,
  A32: acceptedOrNot,
  A33: acceptedOrNot,
  A34: { processing: '^status processing$', 'another status': '^status ' },
  A35: {
    'the body of 2.2': 'HTTP 200 with error',
    'HTTP 401': 'HTTP 401',
    'an empty 403': 'HTTP 403 with an empty body',
    'HTTP 403': 'HTTP 403',
  },
  A36: { 'one request': ': 1 request\\b', 'several requests': ': \\d+ requests' },
  A37: acceptedOrNot,
  A38: acceptedOrNot,
  A39: {
    repeated: [
      ': the same for different requests$',
      'The number does not identify a request, so support cannot find the request in a log.',
    ],
    'one for each request': ': a new one for each request$',
  },
  A40: {
    'an empty or odd value': [
      ': (?:empty|negative|no whole number)$',
      'A caller that parses a number or compares a code gets an unexpected value.',
    ],
    'an RRN used again': [
      '^RRN of the next close-day: the same$',
      'Two close-days of the endpoint cannot be distinguished by their RRN.',
    ],
    'an RRN for each gate': [
      '^RRN of gates of one endpoint: different$',
      'The RRN is "grouped by endpoint identifier", so gates of one endpoint should have the same RRN.',
    ],
    'the usual values': ': ',
  },
  A41: {
    'further members': [': further ones, ', 'Strict clients refuse members that the document does not name.'],
    'gates with an error': [
      '^gates beside status error: present$',
      'A client that checks gates first reads this failure as a success.',
    ],
    'the documented members': ': ',
  },
  A42: {
    'no serial number': [
      'without serial-number',
      'The failure has no serial number, so support cannot find the request.',
    ],
    'with or without status': ': ',
  },
};

/** The first hypothesis whose pattern matches the observation; undefined if no pattern matches. */
export function hypothesisOf(openPoint: string, value: string): { name: string; unusual?: string } | undefined {
  for (const [name, hypothesis] of Object.entries(hypotheses[openPoint as OpenPointId] ?? {})) {
    const [pattern, unusual] = typeof hypothesis === 'string' ? [hypothesis] : hypothesis;
    if (new RegExp(pattern).test(value)) return { name, ...(unusual && { unusual }) };
  }
  return undefined;
}
