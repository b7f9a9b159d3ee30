/** Checks of the greeting, of what is to be ignored, and of everything that was written meanwhile. */

import { setTimeout as pause } from 'node:timers/promises';
import { flushHint, strayHint } from '../adapter/hints.ts';
import { pingLine } from '../adapter/messages.ts';
import { type Check, right, wrong } from './checked-point.ts';
import { soundOr } from './has-result.ts';
import type { AdapterProbe } from './probe.ts';

export const greetings: Readonly<Record<string, Check>> = {
  'hello is answered with ready': async (probe) => {
    const startedAt = performance.now();
    await probe.lasting();
    const { adapter, client } = probe.introduction;
    const language = client.language === undefined ? 'a language that it does not name' : client.language;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    return right(`${adapter.name} introduced ${client.name} in ${language} after ${seconds} s.`);
  },

  'nothing comes before hello': async (probe) => {
    const early = probe.notes.list().find((note) => note.includes('before it was greeted'));
    if (early === undefined) return right('It waited for the greeting.');
    return wrong(early, 'Write ready as the answer to hello; then whatever comes before it is known to be noise.');
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
    const { answer } = await probe.ask();
    return soundOr(answer, () => right('It answered the case after it.'));
  },

  'a member of a later version is ignored': async (probe) => {
    const later = '"of_a_later_version":{"empty":{},"list":[null,1.5,{"t":"case"}]}}\n';
    const answer = await probe.askOn((line) => line.replace(/\}\n$/, `,${later}`));
    return soundOr(answer, () => right('It answered the case that had one.'));
  },
};

/** What only shows at the end. */
export const remains: Readonly<Record<string, Check>> = {
  'standard output holds nothing but the protocol': async (probe) => {
    const [first] = probe.notes.list().filter((note) => note.includes('not of the protocol'));
    return first === undefined ? right('Nothing else arrived.') : wrong(first, strayHint(probe.language));
  },

  'no answer is repeated, late or unasked': async (probe) => {
    const odd = probe.notes.list().find((note) => /answered twice|was never asked|ready again/.test(note));
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

async function pongCame(probe: AdapterProbe, n: number): Promise<boolean> {
  for (let waited = 0; waited < 2000; waited += 20) {
    if (probe.messages.some((message) => message.t === 'pong' && message.n === n)) return true;
    await pause(20);
  }
  return false;
}
