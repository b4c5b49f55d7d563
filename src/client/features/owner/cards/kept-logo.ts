import { getStored, removeStored, setStored } from '../../../lib/browser/browser-storage.ts'

/** Enough for its widest place on paper, at 300 dots per inch. */
const most = { width: 1000, height: 400 }
/** Devices keep about ten times as much for a site. */
const maxCharacters = 400_000

/** The logo that was last chosen for this restaurant, as a data URL. Only this device knows it. */
export const keptLogo = (restaurantName: string): string | null => getStored(`logo_${restaurantName}`)

export function keepLogo(restaurantName: string, logo: string | null): void {
  if (logo === null) removeStored(`logo_${restaurantName}`)
  else setStored(`logo_${restaurantName}`, logo)
}

/** The picture in a file, small enough to be kept. Rejects if the browser cannot show it. */
export async function readLogo(file: File): Promise<string> {
  const url = URL.createObjectURL(file)
  try {
    const picture = new Image()
    picture.src = url
    await picture.decode()
    return drawLogo(picture, file.type === 'image/svg+xml')
  } finally {
    URL.revokeObjectURL(url)
  }
}

/** Drawings are enlarged as well. Photos are smaller as WebP, in browsers that can write it. */
function drawLogo(picture: HTMLImageElement, isDrawing: boolean): string {
  const { naturalWidth: width, naturalHeight: height } = picture
  const fitting = Math.min(most.width / width, most.height / height)
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw')
  for (let scale = isDrawing ? fitting : Math.min(1, fitting); ; scale /= 2) {
    canvas.width = Math.max(1, Math.round(width * scale))
    canvas.height = Math.max(1, Math.round(height * scale))
    context.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const urls = ['image/png', 'image/webp'].map((type) => canvas.toDataURL(type, 0.9))
    const small = urls.find(({ length }) => length <= maxCharacters)
    if (small !== undefined) return small
  }
}
