type ScriptPolicy = { createScriptURL: (url: string) => string }
type TrustedTypes = {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptPolicy
}
declare global {
  interface Window {
    trustedTypes?: TrustedTypes
  }
}

/** Where the page requires Trusted Types for script URLs, our only policy allows only this one. Call it once. */
export function trustScriptUrl(path: string): string {
  const policy = window.trustedTypes?.createPolicy('tableside', { createScriptURL: () => path })
  return policy?.createScriptURL(path) ?? path
}
