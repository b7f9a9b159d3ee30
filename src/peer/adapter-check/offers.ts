/** Checks of what the adapter offers: what is claimed has to be there. */

import { dayClosed } from '../../plan/client/answers.ts';
import { decodeBase64 } from '../../protocol/base64.ts';
import { headerValues } from '../../record/exchange.ts';
import { type Check, right, wrong } from './checked-point.ts';
import { soundOr } from './has-result.ts';

export const offers: Readonly<Record<string, Check>> = {
  'each operation that is offered reaches the base URL': async (probe) => {
    const { ops } = probe.introduction.offers;
    if (ops.length === 0)
      return wrong('It offers no operation.', 'List at least one in offers.ops, or leave offers.ops out.');
    for (const operation of ops) {
      const { answer, requests } = await probe.ask({ operation });
      const seen = soundOr(answer, ({ outcome, reason }) => {
        const how = `${operation}: the adapter reported ${outcome}${reason === undefined ? '' : ` (${reason.slice(0, 200)})`}`;
        if (outcome !== 'completed') return wrong(`${how} for ordinary input.`, reachHint);
        if (requests.length === 0) return wrong(`${how}, and no request reached the base URL.`, reachHint);
        return right('');
      });
      if (seen.hint !== undefined) return seen;
    }
    return right(`Requests arrived for ${ops.join(' and ')}.`);
  },

  'what a result decodes is reported as text': async (probe) => {
    if (!probe.introduction.offers.ops.includes('close-day'))
      return right('It has no close-day, which has numbers in its answers.');
    const big = '9007199254740993';
    const body =
      dayClosed.kind === 'reply'
        ? Buffer.from(dayClosed.body).toString().replace('"gateId":42', `"gateId":${big}`)
        : '';
    const answered = {
      ...dayClosed,
      body: Buffer.from(body),
      headers: [['Content-Type', 'text/html;charset=utf-8']],
    } as typeof dayClosed;
    const { answer } = await probe.ask({ operation: 'close-day', answer: answered });
    return soundOr(answer, ({ decoded }) => {
      const gate = decoded?.kind === 'finished' ? decoded.gates?.[0]?.gateId : undefined;
      if (gate === undefined) return right('It exposes no gate id.');
      if (!('long' in gate))
        return wrong('gateId is not reported as long.', `Write {"gateId":{"long":"${big}"}}: digits as text.`);
      return right(
        gate.long === big
          ? 'A long above 2^53 kept its digits.'
          : `A long above 2^53 lost digits in the client: ${gate.long.slice(0, 40)}.`,
      );
    });
  },

  'injected values are signed': async (probe) => {
    const { inject } = probe.introduction.offers;
    if (inject.length === 0) return right('It does not offer it.');
    const values = { nonce: 'chosenByTheSuite', timestamp: '1700000000' };
    const { answer, requests } = await probe.ask({ inject: values });
    return soundOr(answer, () => {
      const [header = ''] = requests.flatMap(({ request }) => headerValues(request.headers, 'authorization'));
      const missing = inject.filter((name) => !header.includes(values[name]));
      if (missing.length === 0) return right(`The header has the ${inject.join(' and ')} that was given.`);
      return wrong(
        `The ${missing.join(' and ')} that was given is not in the header.`,
        'Offer only what the client lets you set.',
      );
    });
  },

  'stages that are offered are reported': async (probe) => {
    const { stages } = probe.introduction.offers;
    if (stages.length === 0) return right('It does not offer it.');
    const reported = new Set<string>();
    for (const operation of probe.introduction.offers.ops) {
      const { answer } = await probe.ask({ operation });
      if (answer.kind === 'reply') for (const name of Object.keys(answer.reply.stages ?? {})) reported.add(name);
      const bad = Object.entries(answer.kind === 'reply' ? (answer.reply.stages ?? {}) : {}).find(isBadBase64);
      if (bad !== undefined)
        return wrong(`stages.${bad[0]} is not base64.`, 'Names that end in _b64 carry RFC 4648 section 4.');
    }
    const missing = stages.filter((stage) => !reported.has(stage) && !reported.has(`${stage}_b64`));
    if (missing.length === 0) return right('All of them arrived.');
    return wrong(`These never arrived: ${missing.join(', ')}.`, 'Offer only stages that results carry.');
  },
};

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
