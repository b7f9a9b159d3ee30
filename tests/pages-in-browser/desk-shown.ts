/** A desk with a page in every state, for tests that look at its pages. */
import { callOf, type StateFolder, stateFolder, Visitor } from '../unit/extras/desk/desk-visitor.ts';

export interface DeskShown {
  readonly pageUrl: string;
  readonly origin: string;
  readonly pages: Readonly<Record<string, string>>;
  readonly waiting: Visitor;
  close(): Promise<void>;
}

export async function deskShown(): Promise<DeskShown> {
  const folder: StateFolder = await stateFolder();
  const desk = await folder.open();
  const { pageUrl } = desk;
  const arrive = (name: string) => Visitor.arrive(pageUrl, { name });
  const waiting = await arrive('Till 4, nothing sent yet');
  const wrong = await arrive('Till 5, body not signed');
  await wrong.follow({ signed: () => [] }, 1);
  const through = await arrive('Till 6, all right');
  await through.follow();
  const hazardous = await arrive('Till 7, a hazard');
  const again = callOf((await hazardous.next())!);
  for (let times = 0; times < 2; times += 1) await hazardous.call(again);
  await fetch(`${desk.origin}/nobody/api/v2/close-day/1111`, { method: 'POST' });
  const page = ({ view, api }: Visitor) => `${api.slice(0, api.indexOf('/api'))}/engagements/${view.id}`;
  const withHttps: StateFolder = await stateFolder();
  const https = await Visitor.arrive((await withHttps.open({ plainHttp: false })).pageUrl);
  const [step] = wrong.view.plan;
  const repeated = await arrive('Till 8, a step repeated and a body too long');
  await repeated.follow({ secret: 'another' }, 2);
  await repeated.say(step!.id, 'repeat');
  await repeated.follow({}, 1);
  await repeated.say(step!.id, 'showed');
  await fetch(`${repeated.view.baseUrl}/api/v2/close-day/1111`, { method: 'POST', body: 'x'.repeat(3_000_000) });
  return {
    pageUrl,
    origin: desk.origin,
    pages: {
      'list of engagements': pageUrl,
      'engagement that waits': page(waiting),
      'engagement of a wrong client': page(wrong),
      'engagement at its end': page(through),
      'engagement of a client with a hazard': page(hazardous),
      'engagement that repeated a step': page(repeated),
      'engagement that trusts a certificate': page(https),
      'address of nothing': `${pageUrl}/engagements/none`,
    },
    waiting,
    close: () => Promise.all([folder.remove(), withHttps.remove()]).then(() => undefined),
  };
}
