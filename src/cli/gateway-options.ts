/** What the person asked of `countersign gateway`, checked before anything is started. */
import { resolve } from 'node:path';
import { gatewayDefects } from '../defects/index.ts';
import { variants as allVariants } from '../defects/variants.ts';
import { completeRunOptions, type RunOptions } from '../run/run-options.ts';
import { checkedSeed, knownProfile, matchingPattern, unknown, wholeNumber } from './run-flags.ts';
import { UsageError } from './usage-error.ts';

/** The options as commander hands them over. */
export interface GivenOptions {
  readonly target?: string;
  readonly profile?: string;
  readonly only?: readonly string[];
  readonly seed?: string;
  readonly cases?: string;
  readonly path?: string;
  readonly workers?: string;
  readonly defect?: readonly string[];
  readonly variant?: readonly string[];
  readonly out?: string;
  readonly json?: boolean;
}

/** The checked options of the run. Throws UsageError; `now` is in milliseconds since the Unix epoch. */
export function gatewayRunOptions(given: GivenOptions, now: number, cwd: string): RunOptions {
  const target = given.target === undefined || given.target === 'mock' ? 'mock' : checkedTarget(given.target);
  const defects = (given.defect ?? []).map(knownDefect);
  if (defects.length > 0 && target !== 'mock') {
    throw new UsageError('bad-arguments', '--defect works on the mock only', { hint: 'Leave --target out.' });
  }
  const variants = (given.variant ?? []).map(knownVariant);
  if (variants.length > 0 && target !== 'mock') {
    throw new UsageError('bad-arguments', '--variant works on the mock only', { hint: 'Leave --target out.' });
  }
  const completed = completeRunOptions(
    {
      target,
      profile: given.profile === undefined ? undefined : knownProfile(given.profile),
      seed: given.seed === undefined ? undefined : checkedSeed(given.seed),
      cases: wholeNumber('--cases', given.cases, 1, 10_000),
      workers: wholeNumber('--workers', given.workers, 1, 64),
      path: given.path === undefined ? undefined : checkedPath(given.path, given.seed),
      only: (given.only ?? []).map((pattern) => matchingPattern('gateway', pattern)),
      defects,
      variants,
      out: given.out === undefined ? undefined : resolve(cwd, given.out),
      json: given.json === true,
    },
    now,
    cwd,
  );
  return { ...completed, reproduce: reproduce(completed, given) };
}

/** Until effects are gated, a live target is a loopback address: nothing that is sent there can charge anybody. */
function checkedTarget(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError('bad-url', `--target ${text} is not a base URL`, {
      hint: 'Write it with its scheme, such as http://127.0.0.1:8080/paynet.',
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError('bad-url', `--target ${text} has no scheme http or https`, {
      hint: 'Write it with its scheme, such as http://127.0.0.1:8080/paynet.',
    });
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!/^127(\.\d{1,3}){3}$/.test(host) && host !== '::1' && host !== 'localhost') {
    throw new UsageError(
      'bad-url',
      `--target ${text} is not a loopback address, and requests there could close a real day`,
      {
        hint: 'Use a gateway on 127.0.0.1, [::1] or localhost, or leave --target out for the built-in mock.',
      },
    );
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new UsageError('bad-url', `--target ${text} has more than scheme, host, port and path`, {
      hint: 'Give the base URL that stands before /api/.',
    });
  }
  // As parsed, not as typed: what is checked is what is called.
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function knownDefect(id: string): string {
  if (gatewayDefects.some((defect) => defect.id === id)) return id;
  throw unknown(
    'defect',
    id,
    gatewayDefects.map((defect) => defect.id),
    'countersign list defects names them all',
  );
}

function knownVariant(id: string): string {
  if (allVariants.some((variant) => variant.id === id)) return id;
  throw unknown(
    'variant',
    id,
    allVariants.map((variant) => variant.id),
    'countersign list variants names them all',
  );
}

/** A path leads to a value only under the seed that it came from. */
function checkedPath(path: string, seed: string | undefined): string {
  if (!/^\d+\/\d+(:\d+)*$/.test(path)) {
    throw new UsageError('bad-value', `--path ${path} is not the path of a generated case`, {
      hint: 'Copy it from the repeat command of a report; it looks like 2/14:0:1.',
    });
  }
  if (seed === undefined) throw new UsageError('bad-arguments', '--path needs the --seed of the run that it came from');
  return path;
}

/** The command that repeats the run, with everything that has a bearing on its results. */
function reproduce(options: RunOptions, given: GivenOptions): string {
  const parts = [
    'npx countersign gateway',
    options.target === 'mock' ? '' : `--target ${options.target}`,
    given.profile === undefined ? '' : `--profile ${options.profile}`,
    ...options.only.map((pattern) => `--only '${pattern}'`),
    ...options.defects.map((id) => `--defect ${id}`),
    ...options.variants.map((id) => `--variant ${id}`),
    given.cases === undefined ? '' : `--cases ${options.cases}`,
    `--seed ${options.seed}`,
    options.path === undefined ? '' : `--path ${options.path}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
