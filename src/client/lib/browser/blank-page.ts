import type { Catalogue, Languages } from '#contract/texts/catalogue.ts'
import { findLanguage, isRightToLeft } from '#contract/texts/languages.ts'
import { catalogueSetOf } from '../texts/language.ts'
import { setCatalogue, t } from '../texts/translate.ts'
import { isPageReachable, isReloaded } from './page-reachable.ts'

/** Some networks are away for a moment only. */
const againAfterMs = 1_000

/**
 * Runs inline in the page of the staff app, which stays blank when its script does not come: because the server was
 * replaced by one of another version, or because of the network. Loads it once more, and then says what has happened.
 */
export function watchForBlankPage(): void {
  const recover = ({ target }: Event): void => {
    if (!(target instanceof HTMLScriptElement) || target.type !== 'module') return
    removeEventListener('error', recover, true)
    setTimeout(() => void loadAgainOrTell(), againAfterMs)
  }
  // An element's does not bubble.
  addEventListener('error', recover, true)
}

async function loadAgainOrTell(): Promise<void> {
  if (!isReloaded() && (await isPageReachable())) return location.reload()
  tell()
  await loadTexts().then(tell, () => undefined)
}

/** Without the app's styles, which may be missing too. */
function tell(): void {
  const page = document.createElement('main')
  page.style.cssText = 'padding: 2rem; font: 1.25rem / 1.5 system-ui, sans-serif'
  const text = document.createElement('p')
  text.role = 'alert'
  text.textContent = t('This page could not be loaded. Please check the connection and reload it.')
  const button = document.createElement('button')
  button.type = 'button'
  button.style.cssText = 'margin-top: 1.5rem; padding: 0.75rem 1.5rem; border: 2px solid; font: inherit'
  button.textContent = t('Reload')
  button.addEventListener('click', () => location.reload())
  page.append(text, button)
  document.getElementById('root')?.replaceChildren(page)
}

/** The catalogue of this device's language, where the server still sends it. */
async function loadTexts(): Promise<void> {
  const { languages, portalLanguages } = document.documentElement.dataset
  const isCrewPage = catalogueSetOf(location.pathname) === 'staff'
  const offered: Languages = JSON.parse((isCrewPage ? languages : portalLanguages) ?? '{}')
  const language = findLanguage(wantedLanguages(), ['en', ...Object.keys(offered)])
  const { url } = offered[language] ?? {}
  if (url === undefined) return
  const { texts }: Catalogue = await (await fetch(url)).json()
  setCatalogue(language, new Map(Object.entries(texts)))
  document.documentElement.lang = language
  document.documentElement.dir = isRightToLeft(language) ? 'rtl' : 'ltr'
}

function wantedLanguages(): readonly string[] {
  try {
    const chosen = localStorage.getItem('language')
    return chosen === null ? navigator.languages : [chosen, ...navigator.languages]
  } catch {
    return navigator.languages
  }
}
