/** The right way, in the language of the client: a few lines for each step of signing. */
import type { Language, Snippets } from './languages.ts';
import { baseStringSnippets, collectSnippets, sortSnippets } from './parameters.ts';
import { percentEncodeSnippets } from './percent-encode.ts';
import { formBodySnippets, headerSnippets } from './sending.ts';
import { keySnippets, signSnippets } from './signing.ts';
import { uriSnippets } from './uri.ts';

const byTopic = {
  collect: collectSnippets,
  sort: sortSnippets,
  'percent-encode': percentEncodeSnippets,
  'base-string': baseStringSnippets,
  uri: uriSnippets,
  key: keySnippets,
  sign: signSnippets,
  header: headerSnippets,
  'form-body': formBodySnippets,
} satisfies Record<string, Snippets>;

export type SnippetTopic = keyof typeof byTopic;

/** The snippet, without a line end at its end. */
export function snippetOf(topic: SnippetTopic, language: Language): string {
  return byTopic[topic][language].trim();
}
