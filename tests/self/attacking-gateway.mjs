// A gateway whose answers do not match its effects. A path starts with the run and the behaviour (JSON in base64url).
// The counters of the run are its real effects. The mock decides how a correct gateway would answer.
import { createServer } from 'node:http';
import { defaultSettings, defaultWorld, respond } from '../../dist/src/mock/index.js';

const consumer = JSON.parse(process.argv[2]);
const runs = new Map();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  attack(request, response, Buffer.concat(chunks));
});

function attack(request, response, body) {
  const [, run, behaviour] = request.url.split('/');
  const prefix = `/${run}/${behaviour}`;
  const { acts, says, about } = JSON.parse(Buffer.from(behaviour, 'base64url').toString());
  const state = stateOf(run);
  const headers = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2) headers.push(request.rawHeaders.slice(i, i + 2));
  const { method, url: target } = request;
  const received = { method, scheme: 'http', host: request.headers.host, target, headers, body };
  const right = respond(received, state.world, { ...defaultSettings, prefix }, Date.now());
  const place = /\/(close-day|process-recurring-payments)\/\w+$/.exec(target);
  const isAccepted = right.about.decision === 'accepted';
  if (place === null || method !== 'POST') return write(response, right);
  const before = state.asked[place[1]]++;
  const applies = about === 'all' || about === (isAccepted ? 'accepted' : 'faulty');
  const answer = applies ? says : 'honest';
  if (answer === 'resets first') return request.socket.destroy();
  const rows = place[1] === 'close-day' ? undefined : rowsOf(body);
  if (acts === 'always' || isAccepted) act(state.did, rows);
  else if (acts === 'on good rows' && rows?.length > 1) act(state.did, rows.filter(isGood));
  switch (answer) {
    case 'honest':
      return write(response, right);
    case 'resets':
      return request.socket.destroy();
    case 'is silent':
      return;
    case 'answers by half':
      return response.writeHead(200, { 'Content-Length': '200' }).write('type=', () => request.socket.destroy());
    case 'cuts its chunks':
      return response.writeHead(403).write('type=error', () => request.socket.destroy());
    case 'talks nonsense':
      return request.socket.end('nonsense\r\n\r\n');
    case 'redirects':
      return response.writeHead(307, { Location: target }).end();
    case 'says another status each time':
      // The first answer is correct: else the run would find no gateway and end.
      return before === 0 ? write(response, right) : response.writeHead(200 + ((before * 37) % 400)).end();
    default: {
      const { status, closeDay = '', batch = '' } = answer;
      return response.writeHead(status, { 'Content-Type': 'text/html' }).end(rows === undefined ? closeDay : batch);
    }
  }
}

function write(response, { status, headers, body }) {
  response.writeHead(status, headers.flat()).end(body);
}

function act(did, rows) {
  if (rows === undefined) {
    did.closedDays += 1;
    return;
  }
  did.payments += rows.length;
  for (const cells of rows) did.cents += Math.round(Number(cells[2]) * 100 || 0);
}

function isGood(cells) {
  return cells.length === 3 && cells[0].length <= 128;
}

function rowsOf(body) {
  const payload = new URLSearchParams(body.toString()).get('payload') ?? '';
  const [, ...lines] = Buffer.from(payload, 'base64').toString().split('\n');
  return lines.filter((line) => line !== '').map((line) => line.replaceAll('"', '').split(';'));
}

function stateOf(run) {
  if (!runs.has(run)) {
    const did = { closedDays: 0, payments: 0, cents: 0 };
    const asked = { 'close-day': 0, 'process-recurring-payments': 0 };
    runs.set(run, { did, asked, world: defaultWorld({ consumers: [consumer] }) });
  }
  return runs.get(run);
}

process.on('message', (run) => process.send({ run, did: stateOf(run).did }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
