type ScriptPolicy = { createScriptURL: (url: string) => string }
type TrustedTypes = {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptPolicy
}
declare global {
  interface Window {
    trustedTypes?: TrustedTypes
  }
}

const serviceWorkerPath = '/service-worker.js'

let trustedUrl: string | undefined

/** Where the page accepts no text for a script's address, our one policy vouches for this one and no other. */
export function serviceWorkerUrl(): string {
  trustedUrl ??=
    window.trustedTypes
      ?.createPolicy('tableside', { createScriptURL: () => serviceWorkerPath })
      .createScriptURL(serviceWorkerPath) ?? serviceWorkerPath
  return trustedUrl
}
