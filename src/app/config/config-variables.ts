/** `${NAME}` in a configuration: the value of an environment variable, and for secrets the only way to name them in the file. */
import type { SecretSource } from '../../run/target/credentials.ts';
import type { ConfigDocument, ConfigFault } from './config-yaml.ts';
import { didYouMean } from './did-you-mean.ts';

export interface Taken {
  /** Names of the variables that a value was taken from, by the path of the value. Such a value is never shown. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
  /** Secrets that are kept in a variable, by the path of the value. */
  readonly secrets: ReadonlyMap<string, SecretSource>;
  readonly faults: readonly ConfigFault[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Values that are secrets themselves, and the key that names a file in their place. */
const secretPaths: ReadonlyMap<string, string> = new Map([
  ['credentials.consumerSecret', 'consumerSecretFile'],
  ['credentials.privateKey', 'privateKeyFile'],
]);

/** Puts the values in, in the document itself; secrets are left where they are. */
export function takeVariables(document: ConfigDocument, env: Environment): Taken {
  const variables = new Map<string, readonly string[]>();
  const secrets = new Map<string, SecretSource>();
  const faults: ConfigFault[] = [];
  for (const place of document.texts()) {
    const { path, text } = place;
    const line = document.lineOf(path);
    const names = [...text.matchAll(/\$\{([^}]*)\}?/g)].map(([, name = '']) => name);
    const file = secretPaths.get(path);
    if (file !== undefined && !/^\$\{[A-Za-z_]\w*\}$/.test(text)) {
      const hint = `Name a file with ${file}, or an environment variable as \${NAME} and nothing else.`;
      faults.push({ line, sentence: `${path} holds a secret in plain sight`, hint });
      continue;
    }
    const wrong = names.map((name) => whyNot(name, text, env)).find((fault) => fault !== undefined);
    if (wrong !== undefined) {
      faults.push({ line, sentence: `${path} ${wrong.sentence}`, hint: wrong.hint });
    } else if (file !== undefined) {
      secrets.set(path, { variable: names[0]! });
    } else if (names.length > 0) {
      variables.set(path, names);
      place.replace(text.replace(/\$\{([^}]*)\}/g, (_whole, name: string) => env[name] ?? ''));
    }
  }
  return { variables, secrets, faults };
}

function whyNot(name: string, text: string, env: Environment): { sentence: string; hint: string } | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name) || !text.includes(`\${${name}}`)) {
    const sentence = 'has a ${ without the name of an environment variable and a closing bracket';
    return { sentence, hint: `Write it as in \${GATEWAY_URL}.` };
  }
  if (env[name] === undefined) {
    const guess = didYouMean(name, Object.keys(env));
    return { sentence: `names the environment variable ${name}, which is not set`, hint: guess ?? `Set ${name}.` };
  }
  if (env[name] === '') {
    return { sentence: `names the environment variable ${name}, which is empty`, hint: `Give ${name} a value.` };
  }
  return undefined;
}
