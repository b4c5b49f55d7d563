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
  // An iPad says that it is a Mac.
  [/\bMacintosh\b.*\bVersion\/.*\bSafari\//u, 'Mac or iPad'],
  [/\bMacintosh\b/u, 'Mac'],
  [/\bLinux\b/u, 'Linux'],
]

/** What a browser says of itself, such as "Chrome on Android tablet". It may say anything. */
export function describeBrowser(userAgent: string | null): string {
  const given = userAgent?.slice(0, 500) ?? ''
  const firstMatch = (words: [RegExp, string][]) => words.find(([pattern]) => pattern.test(given))?.[1]
  const [browser, device] = [firstMatch(browserPatterns), firstMatch(devicePatterns)]
  if (browser === undefined) return device === undefined ? 'Unknown browser' : `Browser on ${device}`
  return device === undefined ? browser : `${browser} on ${device}`
}
