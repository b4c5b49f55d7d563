import { api } from '#contract/api.ts'
import { useApiMutation } from '../../api/queries.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import { useOutcomeToast } from './subscription/use-outcome-toast.ts'

/** Draws the restaurant's code and stores it; a toast says how it went. */
export function useGenerateCode(restaurantName: string | null): [drawing: boolean, generate: () => void] {
  const showError = useErrorToast()
  const change = useOutcomeToast()
  const store = useApiMutation(api.qr.generate, api.qr.mine, api.firstSteps.list)
  const [drawing, run] = useTask()

  async function generate(): Promise<void> {
    if (restaurantName === null) return showError('Restaurant name not set')
    await change({
      async send() {
        const { drawQrCode } = await import('./cards/draw-qr-code.ts')
        const link = `${location.origin}/customer?${new URLSearchParams({ r: restaurantName })}`
        await store.mutateAsync({ body: { restaurantId: restaurantName, qrCodeDataUrl: drawQrCode(link) } })
      },
      successMessage: 'QR code generated successfully',
      errorMessage: 'Failed to generate QR code',
    })
  }

  return [drawing, () => void run(generate)]
}
