import { t } from '../../lib/texts/translate.ts'

/** As the server names a browser that nobody has given a name. */
const pattern =
  /^(Edge|Samsung Internet|Opera|Firefox|Chrome|Safari|Browser) on (iPhone|iPad|Android (?:phone|tablet)|Chromebook|Windows|Mac(?: or iPad)?|Linux)$/u

/** In the reader's language, unless it is a name that somebody gave. */
export function deviceName(name: string): string {
  const [, browser, device] = pattern.exec(name) ?? []
  if (browser === undefined || device === undefined)
    return name === 'Unknown browser' ? t('Unknown browser') : name
  return t('{browser} on {device}', {
    browser: browser === 'Browser' ? t('Browser') : browser,
    device: t(device),
  })
}
