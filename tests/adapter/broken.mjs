// Adapters with one fault each: `broken.mjs NAME` has the fault NAME.
import { spawn } from 'node:child_process';
import { closeSync, readFileSync, writeSync } from 'node:fs';
import { linesOf } from './lines-of.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const ready = { t: 'ready', protocol: 1, client: { name: 'broken', language: 'node' }, offers: {} };

const result = (message) => ({ t: 'result', id: message.id, outcome: 'unsupported', reason: 'broken on purpose' });

/** Answers hello, ping and case correctly. `odd` has other answers, by the `t` of the message. */
async function adapt(odd) {
  const answers = {
    hello: () => send(ready),
    ping: (message) => send({ t: 'pong', n: message.n }),
    case: (message) => send(result(message)),
    ...odd,
  };
  for await (const line of linesOf(process.stdin)) {
    const message = JSON.parse(line);
    await answers[message.t]?.(message);
  }
}

/** Answers this number of cases correctly after each start. */
function adaptUntil(count, next) {
  let cases = 0;
  return adapt({ case: (message) => (cases++ < count ? send(result(message)) : next()) });
}

const adapters = {
  'answers-every-other': () => adaptUntil(1, () => {}),
  'byte-order-mark': () =>
    adapt({
      hello: () => {
        process.stdout.write('\ufeff');
        send(ready);
      },
    }),
  // Answers two cases after each start, then closes its input and keeps running.
  'closes-stdin': async () => {
    let answered = 0;
    setInterval(() => {}, 1000);
    await adapt({
      case: (message) => {
        answered += 1;
        // The input is closed before the answer, so the next case always finds it closed.
        if (answered === 2) closeSync(0);
        send(result(message));
      },
    });
  },
  'closes-stdout': async () => {
    setInterval(() => {}, 1000);
    await adapt({ ping: () => {}, case: () => closeSync(1) });
  },
  // A library is missing.
  'dies-at-start': () => {
    console.error('Error: Cannot find module oauth');
    process.exitCode = 3;
  },
  // Offers four cases at once, and crashes if it has more than one.
  'dies-in-company': async () => {
    let open = 0;
    await adapt({
      hello: () => send({ ...ready, offers: { max_in_flight: 4 } }),
      case: (message) => {
        if (++open > 1) process.exit(9);
        setTimeout(() => {
          open--;
          send(result(message));
        }, 30);
      },
    });
  },
  // Crashes at one special case.
  'dies-on-a-case': () =>
    adapt({
      case: (message) => {
        if (message.endpoint_id === '666') process.kill(process.pid, 'SIGSEGV');
        else setTimeout(() => send(result(message)), 20);
      },
    }),
  'dies-on-every-case': () =>
    adapt({
      case: () => {
        console.error('TypeError: undefined is not a function');
        process.exit(1);
      },
    }),
  'ends-behind-an-answer': () => adaptUntil(1, () => process.exit(0)),
  'exits-after-two': () => adaptUntil(2, () => process.exit(1)),
  // Writes one endless line instead of an introduction.
  'floods-before-ready': () => {
    const flood = () => {
      while (process.stdout.write('.'.repeat(65_536)));
      process.stdout.once('drain', flood);
    };
    flood();
  },
  // Writes ten megabytes to standard error before each answer. A suite that does not read them gets no answer.
  'floods-stderr': async () => {
    await adapt({
      case: (message) => {
        for (let i = 0; i < 160; i++) writeAll(`${'warning '.repeat(8191)}warning\n`);
        send(result(message));
      },
    });

    function writeAll(text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) {
        try {
          at += writeSync(2, bytes, at);
        } catch (error) {
          if (error.code !== 'EAGAIN') throw error;
        }
      }
    }
  },
  'floods-stdout': async () => {
    const flood = () => {
      while (process.stdout.write('debug: entering loop\n'.repeat(100)));
      process.stdout.once('drain', flood);
    };
    await adapt({ case: flood });
  },
  // Leaves a child process that keeps its pipes open.
  forks: async () => {
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', 'left-behind'], { stdio: 'inherit' }).unref();
    await adapt({ case: () => process.exit(7) });
  },
  // Exits before its answer is in the pipe.
  'half-line-then-exit': () =>
    adapt({
      // A pong after the half line would complete it.
      ping: () => {},
      case: (message) => process.stdout.write(`{"t":"result","id":"${message.id}","outc`, () => process.exit(0)),
    }),
  'half-line-then-hang': () =>
    adapt({ ping: () => {}, case: (message) => process.stdout.write(`{"t":"result","id":"${message.id}","outc`) }),
  // Keeps running after bye, and after the end of its input.
  'ignores-bye': async () => {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
    await adapt({});
  },
  late: () =>
    adapt({
      case: (message) =>
        setTimeout(() => send(result(message)), message.endpoint_id === '666' ? message.deadline_ms + 150 : 0),
    }),
  'loops-on-a-case': () =>
    adapt({
      case: () => {
        for (;;);
      },
    }),
  'never-answers': () => adapt({ case: () => {} }),
  'never-ready': () => adapt({ hello: () => {} }),
  // Sends ready before hello.
  'speaks-first': async () => {
    send(ready);
    await adapt({ hello: () => {} });
  },
  'misspells-ready': () => {
    send({ t: 'redy', protocol: 1, client: { name: 'broken' } });
    process.stdin.resume();
  },
  // Reads its whole input before it answers, which works only for one case.
  'waits-for-end-of-input': () => {
    for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
      const message = JSON.parse(line);
      if (message.t === 'hello') send(ready);
      if (message.t === 'case') send(result(message));
    }
  },
  'wrong-outcome': () => adapt({ case: (message) => send({ ...result(message), outcome: 'complete' }) }),
};

await adapters[process.argv[2]]();
