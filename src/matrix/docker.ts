/** Images of a matrix: `docker run` on the network of this machine, where docker is there, and nothing left of it afterwards. */
import type { CellState } from './matrix.ts';
import type { RunCommand, RunSurroundings } from './run-command.ts';

export interface Docker {
  /** Program and options that come before `run`. */
  readonly program: readonly string[];
  /** What all containers of this matrix carry. */
  readonly label: string;
  /** Why nothing of this image can be started; undefined where it can, and the image is here. */
  ready(image: string): Promise<{ readonly state: CellState; readonly reason: string } | undefined>;
  /** Ends what is left: a container outlives the command that started it. Never rejects. */
  removeAll(): Promise<void>;
}

/** Milliseconds for everything but a download. */
const shortMs = 30_000;

/** @param id drawn for this matrix */
export function dockerOf(run: RunCommand, surroundings: RunSurroundings, id: string): Docker {
  const { DOCKER_HOST: host } = surroundings.env;
  // An adapter is started without the variables of this process.
  const program = ['docker', ...(host === undefined || host === '' ? [] : ['--host', host])];
  const label = `countersign.matrix=${id}`;
  const short = { ...surroundings, limitMs: shortMs };
  let missing: Promise<string | undefined> | undefined;
  return {
    program,
    label,
    ready: async (image) => {
      missing ??= whyMissing(run, program, short);
      const why = await missing;
      if (why !== undefined) return { state: 'unsupported', reason: `it is an image, and ${why}` };
      if ((await run([...program, 'image', 'inspect', image], short)).code === 0) return undefined;
      const { code, err } = await run([...program, 'pull', image], surroundings);
      if (code === 0) return undefined;
      return { state: 'aborted', reason: `the image ${image} cannot be pulled: ${lastLine(err)}` };
    },
    removeAll: async () => {
      // Also after an interruption, which must leave nothing behind.
      const calm = { ...short, signal: new AbortController().signal };
      const { code, out } = await run([...program, 'ps', '-aq', '--filter', `label=${label}`], calm);
      const ids = out.split(/\s+/).filter((one) => /^[\da-f]{6,64}$/.test(one));
      if (code === 0 && ids.length > 0) await run([...program, 'rm', '-f', ...ids], calm);
    },
  };
}

/** The command that starts a container; `command` is inside it. */
export function dockerRun(image: string, { program, label }: Docker, command: readonly string[] = []): string[] {
  return [...program, 'run', '--rm', '-i', '--init', '--network', 'host', '--label', label, image, ...command];
}

async function whyMissing(
  run: RunCommand,
  program: readonly string[],
  short: RunSurroundings,
): Promise<string | undefined> {
  const { code, err, cut } = await run([...program, 'version', '--format', '{{.Server.Version}}'], short);
  if (cut === 'missing') return 'docker is not on this machine';
  return code === 0 ? undefined : `docker does not answer: ${lastLine(err)}`;
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').slice(0, 300) || 'it said nothing';
}
