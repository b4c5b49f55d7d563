import Download from 'lucide-react/icons/download'
import type { JSX } from 'react'
import { fileNameOf, type TableCard } from '#contract/floor/qr.ts'
import { downloadBlob } from '../../../lib/browser/download.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { useErrorToast } from '../../../ui/toast/toast.tsx'

type DownloadCodesProps = { cards: readonly TableCard[]; restaurantName: string }

/** For cards of the owner's own design. */
export function DownloadCodes({ cards, restaurantName }: DownloadCodesProps): JSX.Element {
  const [busy, run] = useTask()
  const showError = useErrorToast()

  async function save(): Promise<void> {
    try {
      const { zipCodes } = await import('./code-archive.ts')
      downloadBlob(await zipCodes(cards), `${fileNameOf(restaurantName)}-table-codes.zip`)
    } catch {
      showError('The codes could not be put into a file.')
    }
  }

  return (
    <Button icon={<Download aria-hidden size={20} />} pending={busy} onClick={() => void run(save)}>
      {t('Download Codes')}
    </Button>
  )
}
