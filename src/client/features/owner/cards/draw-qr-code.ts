import { encodeQR } from 'qr'

const sizePx = 300

/** A code of 300 pixels, level M. The server stores its own drawing, which includes the proof that the code is ours. */
export function drawQrCode(link: string): string {
  const modules = encodeQR(link, 'raw', { ecc: 'medium', border: 4 })
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = sizePx
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, sizePx, sizePx)
  context.fillStyle = '#000'
  const scale = Math.floor(sizePx / modules.length)
  const margin = Math.floor((sizePx - scale * modules.length) / 2)
  for (const [y, row] of modules.entries())
    for (const [x, dark] of row.entries())
      if (dark) context.fillRect(margin + x * scale, margin + y * scale, scale, scale)
  return canvas.toDataURL('image/png')
}
