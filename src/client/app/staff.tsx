import '../ui/theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '../api/queries.ts'
import { rememberSession } from '../api/session.ts'
import { sessionOfPage } from '../lib/browser/page-settings.ts'
import { leaveOldLayers } from '../lib/hooks/use-close-on-back.ts'
import { type CatalogueSet, catalogueSetOf, forgetCatalogue, isEnglish } from '../lib/texts/language.ts'
import { ToastProvider } from '../ui/toast/toast.tsx'
import { App } from './routes.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')

leaveOldLayers()
const client = createQueryClient()
rememberSession(client, sessionOfPage())

const app = (
  <StrictMode>
    <QueryClientProvider client={client}>
      <ToastProvider>
        <App />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>
)

const render = (): void => createRoot(root).render(app)

/** Whatever happens to the catalogue, the screen opens. */
async function renderTranslated(set: CatalogueSet): Promise<void> {
  await import('../lib/texts/catalogue.ts')
    .then(({ loadCatalogue }) => loadCatalogue(set))
    .catch(() => undefined)
  render()
}

const set = catalogueSetOf(location.pathname)
if (isEnglish()) {
  render()
  void forgetCatalogue(set)
} else void renderTranslated(set)
