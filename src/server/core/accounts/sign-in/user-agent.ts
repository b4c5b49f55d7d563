const browserPatterns: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//u, 'Edge'],
  [/\bSamsungBrowser\//u, 'Samsung Internet'],
  [/\b(?:OPR|OPT)\//u, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//u, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//u, 'Chrome'],
  [/\bSafari\//u, 'Safari'],
]

const devicePatterns: [RegExp, string][] = [
  [/\biPhone\b/u, 'iPhone'],
  [/\biPad\b/u, 'iPad'],
  [/\bAndroid\b.*\bMobile\b/u, 'Android phone'],
  [/\bAndroid\b/u, 'Android tablet'],
  [/\bCrOS\b/u, 'Chromebook'],
  [/\bWindows\b/u, 'Windows'],
  // iPads pretend to be Macs.
  [/\bMacintosh\b.*\bVersion\/.*\bSafari\//u, 'Mac or iPad'],
  [/\bMacintosh\b/u, 'Mac'],
  [/\bLinux\b/u, 'Linux'],
]

/** A short name from the browser's User-Agent, such as "Chrome on Android tablet". Browsers may claim anything. */
export function describeBrowser(userAgent: string | null): string {
  const text = userAgent?.slice(0, 500) ?? ''
  const firstMatch = (patterns: [RegExp, string][]) => patterns.find(([pattern]) => pattern.test(text))?.[1]
  const [browser, device] = [firstMatch(browserPatterns), firstMatch(devicePatterns)]
  if (browser === undefined) return device === undefined ? 'Unknown browser' : `Browser on ${device}`
  return device === undefined ? browser : `${browser} on ${device}`
}

/** The name that somebody gave to a device, else that of its browser. */
export const deviceName = ({ name, browser }: { name: string | null; browser: string | null }): string =>
  name ?? browser ?? describeBrowser(null)
