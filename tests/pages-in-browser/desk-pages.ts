/** A desk with a page in every state, for tests that look at its pages. */
import { callOf, type StateFolder, stateFolder, Visitor } from '../unit/extras/desk/desk-visitor.ts';

export interface SampleDesk {
  readonly pageUrl: string;
  readonly origin: string;
  readonly pages: Readonly<Record<string, string>>;
  readonly waiting: Visitor;
  close(): Promise<void>;
}

export async function sampleDesk(): Promise<SampleDesk> {
  const folder: StateFolder = await stateFolder();
  const desk = await folder.open();
  const { pageUrl } = desk;
  const arrive = (name: string) => Visitor.arrive(pageUrl, { name });
  const waiting = await arrive('Till 4, nothing sent yet');
  const wrong = await arrive('Till 5, body not signed');
  await wrong.follow({ signed: () => [] }, 1);
  const finished = await arrive('Till 6, all right');
  await finished.follow();
  const hazardous = await arrive('Till 7, a hazard');
  const repeatedCall = callOf((await hazardous.next())!);
  for (let times = 0; times < 2; times += 1) await hazardous.call(repeatedCall);
  await fetch(`${desk.origin}/nobody/api/v2/close-day/1111`, { method: 'POST' });
  const page = ({ view, api }: Visitor) => `${api.slice(0, api.indexOf('/api'))}/engagements/${view.id}`;
  const httpsFolder: StateFolder = await stateFolder();
  const httpsVisitor = await Visitor.arrive((await httpsFolder.open({ plainHttp: false })).pageUrl);
  const [step] = wrong.view.plan;
  const repeated = await arrive('Till 8, a step repeated and a body too long');
  await repeated.follow({ secret: 'another' }, 2);
  await repeated.markStep(step!.id, 'repeat');
  await repeated.follow({}, 1);
  await repeated.markStep(step!.id, 'showed');
  await fetch(`${repeated.view.baseUrl}/api/v2/close-day/1111`, { method: 'POST', body: 'x'.repeat(3_000_000) });
  return {
    pageUrl,
    origin: desk.origin,
    pages: {
      'list of engagements': pageUrl,
      'engagement that waits': page(waiting),
      'engagement of a wrong client': page(wrong),
      'engagement at its end': page(finished),
      'engagement of a client with a hazard': page(hazardous),
      'engagement that repeated a step': page(repeated),
      'engagement that trusts a certificate': page(httpsVisitor),
      'address of nothing': `${pageUrl}/engagements/none`,
    },
    waiting,
    close: () => Promise.all([folder.remove(), httpsFolder.remove()]).then(() => undefined),
  };
}
