/** The environment that an adapter is started with: what programs need to run, and nothing of what steers them elsewhere. */
import type { TrustedAuthority } from './messages.ts';

/** What an operating system, a shell and a locale need. */
const ofTheSystem = words(`
  PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP LANG LANGUAGE TZ TZDIR LOCPATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH
  SystemRoot SystemDrive ComSpec PATHEXT WINDIR APPDATA LOCALAPPDATA ProgramData ProgramFiles USERPROFILE
  HOMEDRIVE HOMEPATH
`);

/** Where language runtimes look for themselves and for their libraries. */
const ofRuntimes = words(`
  NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME DENO_DIR BUN_INSTALL PYTHONPATH PYTHONHOME PYTHONUSERBASE VIRTUAL_ENV
  CONDA_PREFIX GEM_HOME GEM_PATH RUBYLIB BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_APP_CONFIG PERL5LIB PERL_LOCAL_LIB_ROOT
  PERL_MB_OPT PERL_MM_OPT PHPRC PHP_INI_SCAN_DIR COMPOSER_HOME JAVA_HOME JDK_HOME CLASSPATH M2_HOME GRADLE_HOME
  GRADLE_USER_HOME KOTLIN_HOME SCALA_HOME GOROOT GOPATH GOCACHE GOMODCACHE GOFLAGS GOTOOLCHAIN CARGO_HOME
  RUSTUP_HOME DOTNET_ROOT NUGET_PACKAGES LUA_PATH LUA_CPATH MIX_HOME HEX_HOME ERL_LIBS R_HOME R_LIBS
`);

const families = /^(?:LC_|PYENV_|RBENV_|PLENV_|PHPENV_|JENV_|GOENV_|NODENV_|ASDF_|MISE_|SDKMAN_)/;

/**
 * Variables for an adapter.
 *
 * @param ours the environment of this process, of which a list of names is let through: no proxy, no secret, no switch.
 * @param given what the caller sets; it has the last word, except that proxies stay off.
 * @param ca where clients that read a variable find the certificate authority of the suite.
 */
export function adapterEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>> = {},
  ca?: TrustedAuthority,
): Record<string, string> {
  const passed = new Set([...ofTheSystem, ...ofRuntimes].map((name) => name.toLowerCase()));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined && (passed.has(name.toLowerCase()) || families.test(name))) environment[name] = value;
  }
  if (ca !== undefined) for (const name of authorityVariables) environment[name] = ca.file;
  return Object.assign(environment, { COUNTERSIGN_ADAPTER_OUT: 'fd:3' }, given, { NO_PROXY: '*', no_proxy: '*' });
}

/** Read by Node, OpenSSL (so Ruby, PHP, Go and others), Python's requests, curl, and Perl's LWP. */
const authorityVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'PERL_LWP_SSL_CA_FILE',
];

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
