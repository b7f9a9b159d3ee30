/** The structure that HAR 1.2 asks for, member by member as its specification lists them. */

/** What is wrong with a parsed HAR; empty where nothing is. */
export function harFaults(har: unknown): string[] {
  const faults: string[] = [];
  const log = (har as Members)?.log as Members;
  if (log?.version !== '1.2') faults.push('log.version is not 1.2');
  needs(log?.creator, 'creator', { name: 'string', version: 'string' }, faults);
  if (!Array.isArray(log?.entries)) return [...faults, 'log.entries is not a list'];
  log.entries.forEach((entry: Members, index: number) => {
    entryFaults(entry, `entries[${index}]`, faults);
  });
  return faults;
}

type Members = Record<string, unknown>;
type Kinds = Readonly<Record<string, 'string' | 'number' | 'object' | 'list'>>;

function entryFaults(entry: Members, at: string, faults: string[]): void {
  needs(entry, at, { startedDateTime: 'string', time: 'number', cache: 'object' }, faults);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(entry.startedDateTime))) {
    faults.push(`${at}.startedDateTime is not ISO 8601`);
  }
  if (entry.connection !== undefined && typeof entry.connection !== 'string') faults.push(`${at}.connection`);
  needs(entry.timings, `${at}.timings`, { send: 'number', wait: 'number', receive: 'number' }, faults);
  const sum = Object.values(entry.timings as Record<string, number>)
    .filter((part) => part !== -1)
    .reduce((a, b) => a + b, 0);
  if (sum !== entry.time) faults.push(`${at}: time is not the sum of the timings`);
  messageFaults(entry.request, `${at}.request`, { method: 'string', url: 'string', queryString: 'list' }, faults);
  const request = entry.request as Members;
  if (!URL.canParse(String(request.url))) faults.push(`${at}.request.url is no URL`);
  pairs(request.queryString, `${at}.request.queryString`, faults);
  if (request.postData !== undefined) {
    needs(request.postData, `${at}.request.postData`, { mimeType: 'string', text: 'string' }, faults);
  }
  const kinds: Kinds = { status: 'number', statusText: 'string', redirectURL: 'string', content: 'object' };
  messageFaults(entry.response, `${at}.response`, kinds, faults);
  const content = (entry.response as Members).content;
  needs(content, `${at}.response.content`, { size: 'number', mimeType: 'string' }, faults);
}

function messageFaults(message: unknown, at: string, kinds: Kinds, faults: string[]): void {
  const common: Kinds = {
    httpVersion: 'string',
    cookies: 'list',
    headers: 'list',
    headersSize: 'number',
    bodySize: 'number',
  };
  pairs((message as Members)?.headers, `${at}.headers`, faults);
  needs(message, at, { ...kinds, ...common }, faults);
}

function pairs(list: unknown, at: string, faults: string[]): void {
  if (!Array.isArray(list)) return;
  list.forEach((pair, index) => {
    needs(pair, `${at}[${index}]`, { name: 'string', value: 'string' }, faults);
  });
}

function needs(value: unknown, at: string, kinds: Kinds, faults: string[]): void {
  for (const [name, kind] of Object.entries(kinds)) {
    const found = (value as Members | undefined)?.[name];
    const is = Array.isArray(found) ? 'list' : typeof found;
    if (is !== kind || found === null) faults.push(`${at}.${name} is not a ${kind}`);
  }
}
