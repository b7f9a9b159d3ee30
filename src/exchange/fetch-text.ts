/** The text of an answer that `fetch` got of somebody who may send without end, or a byte now and then for ever. */

/** Throws Error where the body is longer, counted as it is once decompressed, or does not end in time. */
export async function textWithin({ body }: Response, limitMs: number, mostMegabytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  let fault: string | undefined;
  let length = 0;
  const stop = (why: string) => {
    fault = why;
    void reader?.cancel().catch(() => {});
  };
  // The signal of a fetch may be lost before a slow body ends, so the body has a time of its own.
  const timer = setTimeout(() => stop(`the answer does not end within ${limitMs / 1000} s`), limitMs);
  try {
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      chunks.push(read.value);
      length += read.value.length;
      if (length > mostMegabytes * 1024 ** 2) stop(`the answer is longer than ${mostMegabytes} MB`);
    }
  } finally {
    clearTimeout(timer);
  }
  if (fault !== undefined) throw new Error(fault);
  return Buffer.concat(chunks).toString('utf8');
}
