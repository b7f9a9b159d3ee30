/** The languages that snippets are written in. */
export const languages = ['node', 'python', 'php', 'java', 'ruby', 'go', 'csharp'] as const;
export type Language = (typeof languages)[number];

/** How each language is called in a sentence. */
export const languageNames: Readonly<Record<Language, string>> = {
  node: 'Node.js',
  python: 'Python',
  php: 'PHP',
  java: 'Java',
  ruby: 'Ruby',
  go: 'Go',
  csharp: 'C#',
};

export type Snippets = Readonly<Record<Language, string>>;
