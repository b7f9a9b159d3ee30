/** The self-test of adapters: does the adapter keep the protocol? */

import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { emptyOk, finishedWith, gateText, htmlAnswer, plainGate, reply } from '../../plan/client/answers.ts';
import { ordinaryCalls } from '../../plan/client/cases.ts';
import type { LocalAnswer } from '../../plan/scenario.ts';
import { decodeBase64 } from '../../protocol/base64.ts';
import type { ClientReply, CloseDayInput } from '../../record/case.ts';
import { headerValues } from '../../record/exchange.ts';
import { AdapterError } from '../adapter/channel.ts';
import { flushHint, sessionClosed, strayHint, utf8Hint } from '../adapter/faults.ts';
import { pingLine } from '../adapter/messages.ts';
import type { CaseAnswer } from '../adapter/open-cases.ts';
import type { AdapterOptions } from '../adapter/session.ts';
import {
  AdapterProbe,
  type Check,
  type CheckedPoint,
  type FreshConversation,
  faultIn,
  notOffered,
  type Peer,
  probedCloseDay,
  right,
  type Seen,
  sound,
  wrong,
} from './probe.ts';

/** Maximum in a row: each costs a whole deadline, and the next would show the same. */
const maxUnanswered = 2;

/**
 * Runs all checks in about ten seconds.
 * @returns a point for each check; fewer if the greeting fails or cases are not answered
 */
export async function checkAdapter(
  options: AdapterOptions,
  peer: Peer,
  onPoint: (point: CheckedPoint) => void = () => {},
): Promise<readonly CheckedPoint[]> {
  const probe = new AdapterProbe(options, peer);
  const points: CheckedPoint[] = [];
  const add = (name: string, seen: Seen) => {
    const point = { name, ok: seen.hint === undefined, ...seen };
    points.push(point);
    onPoint(point);
  };
  try {
    for (const [name, check] of Object.entries(checks)) {
      add(name, await seenBy(check, probe));
      if (!points[0]!.ok) break;
      if (probe.unanswered < maxUnanswered) continue;
      add('cases are answered in time', unanswered(Object.keys(checks).length - points.length));
      break;
    }
  } finally {
    await probe.end();
  }
  return points;
}

function unanswered(left: number): Seen {
  return wrong(
    `${maxUnanswered} cases in a row got no answer in time; ${left} points were not checked.`,
    'Fix the points above, then check again.',
  );
}

async function seenBy(check: Check, probe: AdapterProbe): Promise<Seen> {
  try {
    return await check(probe);
  } catch (error) {
    if (error instanceof AdapterError) return { what: error.message, hint: error.hint };
    throw error;
  }
}

const checks: Readonly<Record<string, Check>> = {
  'hello is answered with ready': async (probe) => {
    const startedAt = performance.now();
    await probe.lasting();
    const { adapter, client } = probe.introduction;
    const language = client.language === undefined ? 'an unnamed language' : client.language;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    return right(`${adapter.name} introduced ${client.name} in ${language} after ${seconds} s.`);
  },

  'nothing comes before hello': async (probe) => {
    const early = probe.notes.first('messages before hello');
    if (early === undefined) return right('It waited for the greeting.');
    return wrong(early, 'Write ready only after hello has arrived.');
  },

  'ready has no unknown member': async (probe) => {
    const [first, ...more] = probe.faults(true);
    if (first === undefined) return right('Every member is known.');
    return wrong(`${[first, ...more].join('; ')}.`, 'schemas/adapter/ready.json lists the members.');
  },

  'ping is answered with pong': async (probe) => {
    const conversation = await probe.lasting();
    conversation.say(pingLine(77));
    if (await pongCame(probe, 77)) return right('It answered.');
    return wrong(
      'No pong arrived within 2 s.',
      `Answer {"t":"ping","n":1} with {"t":"pong","n":1}. ${flushHint(probe.language)}`,
    );
  },

  'a message of an unknown kind is ignored': async (probe) => {
    const conversation = await probe.lasting();
    conversation.say('{"t":"of-a-later-version","id":"c_0"}\n');
    sound((await probe.ask()).answer);
    return right('It answered the case after it.');
  },

  'a member of a later version is ignored': async (probe) => {
    const later = '"of_a_later_version":{"empty":{},"list":[null,1.5,{"t":"case"}]}}\n';
    const answer = await probe.askOn((line) => line.replace(/\}\n$/, `,${later}`));
    sound(answer);
    return right('It answered the case with that member.');
  },

  'a line of 200 KB is read completely': async (probe) => {
    // Blanks between tokens: the stages of an input of this length would exceed the limit of a result.
    const blanks = ' '.repeat(200_000);
    const answer = await probe.askOn((line) => line.replace(/\}\n$/, `${blanks}}\n`));
    sound(answer);
    return right('It answered the case on that line.');
  },

  'text beyond ASCII arrives': (probe) => withText(probe, 'Zażółć-Ångström-訂單-😀'),

  'separators other than line ends do not cut a line': (probe) => withText(probe, 'a\u2028b\u2029c\u0085d\u000be'),

  'quotes, backslashes and escapes arrive': (probe) => withText(probe, '"\\/\b\f\n\r\t\u001f}]\\u0041'),

  'empty and absent differ': async (probe) => {
    if (!probe.introduction.offers.ops.includes('close-day'))
      return notOffered('It has no close-day, where they could differ.');
    const ask = (input: CloseDayInput) => probe.ask({ operation: 'close-day', input });
    const [absent, empty] = [await ask(probedCloseDay), await ask({ ...probedCloseDay, sale_approved_sum: '' })];
    for (const { answer } of [absent, empty]) sound(answer);
    const [one, other] = [absent, empty].map(({ requests }) => requests[0]?.request.body);
    if (one === undefined || other === undefined) return right('The client declined one of them, as it may.');
    if (Buffer.compare(one, other) !== 0) return right('They differ on the wire.');
    return wrong(
      'An empty field and an absent field gave the same request.',
      'Pass on every member of the input, also an empty one, and add none. If the client cannot do that, report unsupported.',
    );
  },

  'each operation that is offered reaches the base URL': async (probe) => {
    const { ops } = probe.introduction.offers;
    if (ops.length === 0)
      return wrong('It offers no operation.', 'List at least one in offers.ops, or leave offers.ops out.');
    for (const operation of ops) {
      const { answer, requests } = await probe.ask({ operation });
      const { outcome, reason } = sound(answer);
      const how = `${operation}: the adapter reported ${outcome}${reason === undefined ? '' : ` (${reason.slice(0, 200)})`}`;
      if (outcome !== 'completed') return wrong(`${how} for ordinary input.`, reachHint);
      if (requests.length === 0) return wrong(`${how}, and no request reached the base URL.`, reachHint);
    }
    return right(`Requests arrived for ${ops.join(' and ')}.`);
  },

  // A client may refuse these answers. What it accepts is a result like any other.
  'members of other types do not spoil a result': async (probe) => {
    if (!probe.introduction.offers.ops.includes('close-day'))
      return notOffered('It has no close-day, which has gates.');
    const gate = gateText(plainGate).replace('"saleApprovedCount":"2"', '"saleApprovedCount":2');
    for (const odd of [gate, gateText(plainGate).replace('{', '{"extra":{"gateId":1,"gates":[]},')]) {
      const answered = reply(200, htmlAnswer, finishedWith([odd]));
      sound((await probe.ask({ operation: 'close-day', answer: answered })).answer);
    }
    return right('A number instead of a text, and an unknown member, caused no fault.');
  },

  'what a result decodes is reported as text': async (probe) => {
    if (!probe.introduction.offers.ops.includes('close-day'))
      return notOffered('It has no close-day, which has numbers in its answers.');
    const big = '9007199254740993';
    const answered = reply(200, htmlAnswer, finishedWith([gateText({ ...plainGate, gateId: big })]));
    const { answer } = await probe.ask({ operation: 'close-day', answer: answered });
    const { decoded } = sound(answer);
    const gate = decoded?.kind === 'finished' ? decoded.gates?.[0]?.gateId : undefined;
    if (gate === undefined) return right('It exposes no gate id.');
    if (!('long' in gate))
      return wrong('gateId is not reported as long.', `Write {"gateId":{"long":"${big}"}}: digits as text.`);
    return right(
      gate.long === big
        ? 'A long above 2^53 kept its digits.'
        : `It is text, but a long above 2^53 lost digits: ${gate.long.slice(0, 40)}. A run fails the client for that.`,
    );
  },

  'injected values are signed': async (probe) => {
    const { inject } = probe.introduction.offers;
    if (inject.length === 0) return notOffered('The adapter does not offer this.');
    const values = { nonce: 'chosenByTheSuite', timestamp: '1700000000' };
    const { answer, requests } = await probe.ask({ inject: values });
    sound(answer);
    const [header = ''] = requests.flatMap(({ request }) => headerValues(request.headers, 'authorization'));
    const missing = inject.filter((name) => !header.includes(values[name]));
    if (missing.length === 0) return right(`The header has the ${inject.join(' and ')} that was given.`);
    return wrong(
      `The ${missing.join(' and ')} that was given is not in the header.`,
      'Offer only what the client lets you set.',
    );
  },

  'stages that are offered are reported': async (probe) => {
    const { stages } = probe.introduction.offers;
    if (stages.length === 0) return notOffered('The adapter does not offer this.');
    const reported = new Set<string>();
    for (const operation of probe.introduction.offers.ops) {
      const { answer } = await probe.ask({ operation });
      if (answer.kind === 'reply') for (const name of Object.keys(answer.reply.stages ?? {})) reported.add(name);
      const bad = Object.entries(answer.kind === 'reply' ? (answer.reply.stages ?? {}) : {}).find(isBadBase64);
      if (bad !== undefined)
        return wrong(
          `stages.${bad[0]} is not base64.`,
          'A stage whose name ends in _b64 holds base64 (RFC 4648 section 4).',
        );
    }
    const missing = stages.filter((stage) => !reported.has(stage) && !reported.has(`${stage}_b64`));
    if (missing.length === 0) return right('All of them arrived.');
    return wrong(`No result carried ${missing.join(', ')}.`, 'Offer only stages that a result can carry.');
  },

  'the adapter waits for a slow server': async (probe) => {
    const { answer } = await probe.ask({ answer: after(1000, probe) });
    const hint = 'Let the client wait as long as deadline_ms says.';
    return reporting('completed', answer, 'before the deadline of the case', hint);
  },

  'a reset is reported as transport_error': async (probe) => {
    const { answer } = await probe.ask({ answer: { kind: 'reset' } });
    const hint = 'Catch the error of the connection and report transport_error with its text.';
    return reporting('transport_error', answer, 'although there was no answer', hint);
  },

  'after a timeout, the next case still works': async (probe) => {
    const started = await probe.lasting();
    const slow = await probe.ask({ answer: { kind: 'endless' }, deadlineMs: 700 });
    if (slow.answer.kind === 'timed-out') await slow.answer.late;
    const { answer } = await probe.ask();
    if (started.over !== undefined)
      return wrong(started.over.message, `Report transport_error and go on. ${started.over.hint}`);
    sound(answer);
    return right('It answered the next case.');
  },

  'two cases at once are kept apart': async (probe) => {
    if (probe.introduction.offers.maxInFlight < 2) return notOffered('It takes one case at a time.');
    const startedAt = performance.now();
    const slow = probe.ask({ answer: after(800, probe) });
    const quick = await probe.ask();
    const quickMs = performance.now() - startedAt;
    for (const { answer } of [quick, await slow]) sound(answer);
    if (quickMs < 700) return right('The quick one was answered before the slow one.');
    return wrong(
      'The second case waited for the first.',
      `Work on cases at once, or offer max_in_flight 1. ${flushHint(probe.language)}`,
    );
  },

  'an operation that the client does not have is unsupported': async (probe) => {
    const { auth, input } = probe.caseAt('', { operation: 'close-day' });
    const { answer } = await probe.ask({ operation: 'open-day' as 'close-day', auth, input, answer: emptyOk });
    const hint = 'Answer unsupported to any op that the client does not have.';
    return reporting('unsupported', answer, 'for the operation open-day, which no client has', hint);
  },

  'bye ends it': async (probe) => {
    const { conversation, notes } = await probe.fresh();
    await conversation.close();
    return properly(notes);
  },

  'the end of its input ends it': async (probe) => {
    const { conversation, notes } = await probe.fresh();
    conversation.finish();
    await conversation.gone();
    const seen = properly(notes);
    await conversation.stop(sessionClosed());
    return seen;
  },

  'it works in any locale': async (probe) => {
    const { conversation } = await probe.fresh({ env: { LC_ALL: 'C', LANG: 'C' } });
    const { answer } = await probe.ask({ by: conversation, ...probe.withTexts('Zażółć-訂單') });
    await conversation.close();
    const fault = faultIn(answer);
    if (fault === undefined) return right('Text beyond ASCII arrives under LC_ALL=C too.');
    return wrong(`Under LC_ALL=C: ${fault.message}`, utf8Hint(probe.language));
  },

  'it works in any folder': async (probe) => {
    const { conversation } = await probe.fresh({ cwd: tmpdir(), ...probe.absoluteCommand() });
    const { answer } = await probe.ask({ by: conversation });
    await conversation.close();
    sound(answer);
    return right('It answered from the folder for temporary files.');
  },

  'it starts again after it was killed': async (probe) => {
    const first = await probe.fresh();
    await first.conversation.stop(sessionClosed());
    const second = await probe.fresh();
    const { answer } = await probe.ask({ by: second.conversation });
    await second.conversation.close();
    sound(answer);
    return right('It started and answered a case.');
  },

  'standard output holds nothing but the protocol': async (probe) => {
    const first = probe.notes.first('lines that are not of the protocol');
    return first === undefined ? right('Nothing else arrived.') : wrong(first, strayHint(probe.language));
  },

  'no answer is repeated, late or unexpected': async (probe) => {
    const odd = probe.notes.first('repeated results', 'results of unknown cases', 'repeated ready messages');
    return odd === undefined
      ? right('Each case had one answer.')
      : wrong(odd, 'Send one result for each case, with its id.');
  },

  'every message fits its schema': async (probe) => {
    const [first, ...more] = probe.faults(false);
    if (first === undefined) return right('No member was unknown or of another type.');
    return wrong(`${[first, ...more].slice(0, 5).join('; ')}.`, 'schemas/adapter describes each message.');
  },
};

function reporting(wanted: ClientReply['outcome'], answer: CaseAnswer, otherwise: string, hint: string): Seen {
  const { outcome } = sound(answer);
  return outcome === wanted ? right(`It reported ${outcome}.`) : wrong(`It reported ${outcome} ${otherwise}.`, hint);
}

async function pongCame(probe: AdapterProbe, n: number): Promise<boolean> {
  for (let waited = 0; waited < 2000; waited += 20) {
    if (probe.messages.some((message) => message.t === 'pong' && message.n === n)) return true;
    await pause(20);
  }
  return false;
}

const reachHint =
  'Call the client with base_url as its base, the path prefix included; trust ca_file of hello, or offer tls false.';

function isBadBase64([name, value]: readonly [string, string]): boolean {
  if (!name.endsWith('_b64')) return false;
  try {
    decodeBase64(value);
    return false;
  } catch {
    return true;
  }
}

/** The client may refuse the text; the adapter must continue. */
async function withText(probe: AdapterProbe, text: string): Promise<Seen> {
  const { answer } = await probe.ask(probe.withTexts(text));
  const fault = faultIn(answer);
  if (fault === undefined) return right(`It answered ${sound(answer).outcome}.`);
  return wrong(fault.message, `${fault.hint} ${utf8Hint(probe.language)} Cut lines at 0x0A only.`);
}

function after(afterMs: number, probe: AdapterProbe): LocalAnswer {
  const then = ordinaryCalls[probe.introduction.offers.ops[0] ?? 'close-day'].answer;
  return { kind: 'slow', afterMs, then };
}

function properly(notes: FreshConversation['notes']): Seen {
  const odd = notes.first('adapters that did not end', 'disorderly ends');
  return odd === undefined
    ? right('It exited with code 0.')
    : wrong(odd, 'Exit with code 0 after bye, and when standard input ends. End threads and timers first.');
}
