type ScriptPolicy = { createScriptURL: (url: string) => string }
type TrustedTypes = {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => ScriptPolicy
}
declare global {
  interface Window {
    trustedTypes?: TrustedTypes
  }
}

const serviceWorker = '/service-worker.js'

let trusted: string | undefined

/** Where the page accepts no text for a script's address, our one policy vouches for this one and no other. */
export function serviceWorkerUrl(): string {
  trusted ??=
    window.trustedTypes
      ?.createPolicy('tableside', { createScriptURL: () => serviceWorker })
      .createScriptURL(serviceWorker) ?? serviceWorker
  return trusted
}
