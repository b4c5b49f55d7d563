import Download from 'lucide-react/icons/download'
import type { JSX } from 'react'
import { fileNameOf, type TableCard } from '#contract/qr.ts'
import { download } from '../../lib/download.ts'
import { t } from '../../lib/translate.ts'
import { useTask } from '../../lib/use-task.ts'
import { Button } from '../../ui/button.tsx'
import { useErrorToast } from '../../ui/toast.tsx'

type DownloadCodesProps = { cards: readonly TableCard[]; restaurantName: string }

/** For cards of the owner's own design. */
export function DownloadCodes({ cards, restaurantName }: DownloadCodesProps): JSX.Element {
  const [busy, run] = useTask()
  const showError = useErrorToast()

  async function save(): Promise<void> {
    try {
      const { zipCodes } = await import('./code-archive.ts')
      const url = URL.createObjectURL(await zipCodes(cards))
      download(url, `${fileNameOf(restaurantName)}-table-codes.zip`)
      // The browser may begin to read it only now.
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
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
