#!/usr/bin/env node
/** Adapter for a client in Node.js. It signs with countersign/protocol of this package, and sends with node:https. */
import { randomBytes } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { createRequire } from 'node:module';
import {
  buildCloseDay,
  buildRecurring,
  decodeCloseDayResponse,
  decodeRecurringResponse,
  encodeForm,
  ProtocolError,
  readPrivateKey,
  signRequest,
} from 'countersign/protocol';

const packageVersion = createRequire(import.meta.url)('countersign/package.json').version;

// --- the client: what an application would call ---

class Refused extends Error {
  constructor(stage, reason) {
    super(reason);
    this.stage = stage;
  }
}

class Client {
  /** `fresh` returns timestamp and nonce. `trace` gets each step of signing. An application omits both functions. */
  constructor({ baseUrl, endpointId, credentials, agent, limitMs, fresh = freshly, trace = () => {} }) {
    Object.assign(this, { baseUrl, endpointId, credentials, agent, limitMs, fresh, trace });
  }

  /** Throws Refused before it sends anything, ProtocolError for an undefined answer, and errors of node:https. */
  async closeDay(fields) {
    if (!/^[A-Za-z0-9]{8,32}$/.test(fields.day_close_request_id ?? '')) {
      throw new Refused('body', 'day_close_request_id has to be 8 to 32 letters and digits');
    }
    return decodeCloseDayResponse(await this.#send('/api/v2/close-day/', buildCloseDay(fields)));
  }

  /** Throws the same errors as `closeDay`. A null cell is empty in the CSV. */
  async processRecurringPayments({ columns, rows: given }) {
    const rows = given.map((row) => row.map((cell) => cell ?? ''));
    for (const row of rows) checkPayment(Object.fromEntries(columns.map((name, at) => [name, row[at] ?? ''])));
    const { csv, payload, body } = buildRecurring({ columns, rows });
    this.trace({ csv_b64: Buffer.from(csv).toString('base64'), payload });
    return decodeRecurringResponse(await this.#send('/api/v4/process-recurring-payments/', body));
  }

  async #send(path, parameters) {
    const [, scheme, host, target] = /^(https?):\/\/([^/]+)(.*)$/i.exec(`${this.baseUrl}${path}${this.endpointId}`);
    const request = { method: 'POST', scheme, host, target, body: parameters };
    const { authorization, steps } = signRequest(request, this.credentials, this.fresh());
    const body = encodeForm(parameters);
    this.trace({
      body,
      parameters: encodeForm(steps.parameters),
      normalized: steps.normalized,
      base_string: steps.baseString,
      signature: steps.signature,
      authorization,
    });
    return post({ scheme, host, target, authorization, body }, this.agent, this.limitMs);
  }
}

function checkPayment(payment) {
  const order = [...(payment['client-orderid'] ?? '')].length;
  if (order < 1 || order > 128) throw new Refused('csv', 'client-orderid has to be 1 to 128 characters');
  const recurring = [...(payment['recurring-payment-id'] ?? '')].length;
  if (recurring < 1 || recurring > 10) throw new Refused('csv', 'recurring-payment-id has to be 1 to 10 characters');
  const otherForm = (payment['amount-from'] && payment['amount-to']) || payment['amount-sequence'];
  if (!payment.amount && !otherForm) throw new Refused('csv', 'amount is missing');
  if (payment.amount && !(payment.amount.length <= 10 && /^\d+(\.\d+)?$/.test(payment.amount))) {
    throw new Refused('csv', 'amount has to be a decimal of at most 10 characters');
  }
}

function freshly() {
  return { timestamp: String(Math.floor(Date.now() / 1000)), nonce: randomBytes(16).toString('hex') };
}

/** Sends a POST request. Limits the time of the whole exchange, and the size of the answer. */
async function post({ scheme, host, target, authorization, body }, agent, limitMs) {
  const { protocol, hostname, port } = new URL(`${scheme}://${host}`);
  const [open, pool] = protocol === 'https:' ? [requestHttps, agent] : [requestHttp, undefined];
  const headers = { Host: host, 'Content-Type': 'application/x-www-form-urlencoded', Authorization: authorization };
  const signal = AbortSignal.timeout(limitMs);
  const answer = await new Promise((answered, failed) => {
    open({ method: 'POST', hostname, port, path: target, headers, signal, agent: pool }, answered)
      .once('error', failed)
      .end(body);
  });
  const chunks = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > 8 * 1024 * 1024) throw new Error('the answer is longer than 8 MiB');
    chunks.push(chunk);
  }
  return { status: answer.statusCode, headers: Object.entries(answer.headers), body: Buffer.concat(chunks) };
}

// --- the adapter: JSON lines to calls of the client and back ---

let agent;
const keys = new Map();
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const answers = {
  hello({ ca_pem }) {
    agent = new Agent({ keepAlive: true, ...(ca_pem ? { ca: ca_pem } : {}) });
    say({
      t: 'ready',
      protocol: 1,
      adapter: { name: 'countersign-node', version: '1.0.0' },
      client: {
        name: 'countersign/protocol',
        version: packageVersion,
        language: 'javascript',
        language_version: process.versions.node,
      },
      offers: {
        ops: ['close-day', 'process-recurring-payments'],
        signature_methods: ['HMAC-SHA1', 'RSA-SHA256'],
        stages: ['csv', 'payload', 'body', 'parameters', 'normalized', 'base_string', 'signature', 'authorization'],
        inject: ['timestamp', 'nonce'],
        http: false,
        max_in_flight: 8,
        validates_locally: true,
        tls: true,
      },
    });
  },
  async case(testCase) {
    say({ t: 'result', id: testCase.id, ...(await perform(testCase)) });
  },
  ping({ n }) {
    say({ t: 'pong', n });
  },
};

/** Performs a call, and returns one of the five outcomes. */
async function perform({ op, base_url, endpoint_id, auth, input, inject, deadline_ms }) {
  const stages = {};
  try {
    const call = { 'close-day': 'closeDay', 'process-recurring-payments': 'processRecurringPayments' }[op];
    if (call === undefined || auth.method === undefined)
      return { outcome: 'unsupported', reason: `no such call: ${op}` };
    const client = new Client({
      baseUrl: base_url,
      endpointId: endpoint_id,
      credentials: { consumerKey: auth.consumer_key, key: signingKey(auth) },
      agent,
      // Less than the limit of the case, so that the adapter can still answer in time.
      limitMs: Math.ceil((deadline_ms ?? 10_000) * 0.8),
      fresh: () => ({ ...freshly(), ...inject }),
      trace: (steps) => Object.assign(stages, steps),
    });
    return { outcome: 'completed', decoded: decoded(await client[call](input)), stages };
  } catch (error) {
    if (error instanceof Refused) return { outcome: 'refused_locally', stage: error.stage, reason: error.message };
    if (error instanceof ProtocolError) {
      return { outcome: 'completed', decoded: { kind: 'undecodable', reason: error.message }, stages };
    }
    if (error.code !== undefined || error.name === 'AbortError') {
      return { outcome: 'transport_error', reason: `${error.code ?? error.name}: ${error.message}` };
    }
    return { outcome: 'adapter_error', message: String(error), trace: error.stack };
  }
}

/** Converts the client's answer for the adapter protocol. 64-bit numbers become text. */
function decoded(answer) {
  switch (answer.kind) {
    case 'finished':
      return { kind: 'finished', serial: answer.serial, gates: answer.gates.map(gateShape) };
    case 'error':
      return { kind: 'error', errorCode: answer.errorCode, errorMessage: answer.errorMessage, serial: answer.serial };
    case 'refused':
      return { kind: 'refused', http_status: answer.httpStatus };
    case 'parameters':
      return { kind: 'parameters', params: answer.params };
    default:
      return { kind: answer.kind };
  }
}

function gateShape(gate) {
  const shape = ([name, value]) => {
    if (typeof value === 'boolean') return [name, { bool: value }];
    return [name, name === 'gateId' || name === 'epntId' ? { long: value } : { text: value }];
  };
  return Object.fromEntries(Object.entries(gate).map(shape));
}

/** Parses each key only once, because parsing takes longer than signing. */
function signingKey({ method, secret, private_key_pem }) {
  if (method === 'HMAC-SHA1') return { method, consumerSecret: secret };
  if (!keys.has(private_key_pem)) keys.set(private_key_pem, { method, privateKey: readPrivateKey(private_key_pem) });
  return keys.get(private_key_pem);
}

/** Splits only at line feeds. From Node 24 on, node:readline also splits at U+2028 and U+2029. */
async function* linesOf(input) {
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}

// Do not wait for the answer to a case, because several cases may be open. The loop ends with stdin, or at `bye`.
const open = new Set();
for await (const line of linesOf(process.stdin)) {
  const message = JSON.parse(line);
  if (message.t === 'bye') break;
  const answered = Promise.resolve(answers[message.t]?.(message)).finally(() => open.delete(answered));
  open.add(answered);
}
// Answer all open cases, then close everything that would keep the process running.
await Promise.all(open);
agent?.destroy();
process.stdin.destroy();
