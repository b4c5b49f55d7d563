import { download } from '../../../lib/browser/download.ts'

const padding = 16
const titleHeight = 32
const legendHeight = 22
/** More pixels than on the screen, so that the picture is sharp on paper. */
const pixelsPerUnit = 2

const drawn = ['fill', 'stroke', 'stroke-width', 'font-size', 'font-weight', 'text-anchor'] as const

type Chart = { chart: SVGSVGElement; /** What its colours mean. */ legend: HTMLElement | null; title: string }

/** The chart as it is on the screen, under its title, as a file of its own: with no style or font of the page. */
function toSvg({ chart, legend, title }: Chart): { text: string; width: number; height: number } {
  const { width, height } = chart.getBoundingClientRect()
  const copy = chart.cloneNode(true)
  if (!(copy instanceof SVGSVGElement)) throw new Error('not a chart')
  const copies = [...copy.querySelectorAll('*')]
  for (const [index, element] of [...chart.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(element)
    for (const name of drawn) copies[index]?.setAttribute(name, toPlain(name, style.getPropertyValue(name)))
    copies[index]?.removeAttribute('class')
  }
  const colours = legendOf(legend)
  const top = padding + titleHeight + colours.length * legendHeight
  const [whole, wholeHeight] = [width + 2 * padding, height + padding + top]
  const colour = (name: string): string =>
    toHex(getComputedStyle(document.documentElement).getPropertyValue(name))
  const picture = create('svg', { width: whole, height: wholeHeight, 'font-family': 'sans-serif' })
  const heading = create('text', {
    x: padding,
    y: padding + 16,
    'font-size': '18px',
    'font-weight': '700',
    fill: colour('--text'),
  })
  heading.textContent = title
  copy.setAttribute('x', String(padding))
  copy.setAttribute('y', String(top))
  picture.append(
    create('rect', { width: whole, height: wholeHeight, fill: colour('--plate') }),
    heading,
    copy,
  )
  for (const [index, { label, fill }] of colours.entries()) {
    const y = padding + titleHeight + index * legendHeight
    const text = create('text', { x: padding + 20, y: y + 12, 'font-size': '14px', fill: colour('--text') })
    text.textContent = label
    picture.append(create('rect', { x: padding, y, width: 14, height: 14, rx: 3, fill }), text)
  }
  return { text: new XMLSerializer().serializeToString(picture), width: whole, height: wholeHeight }
}

const legendOf = (legend: HTMLElement | null): { label: string; fill: string }[] =>
  [...(legend?.querySelectorAll('li') ?? [])].map((item) => {
    const colour = item.querySelector('rect')
    return { label: item.textContent, fill: colour ? toHex(getComputedStyle(colour).fill) : 'none' }
  })

const toPlain = (name: string, value: string): string =>
  (name === 'fill' || name === 'stroke') && value !== 'none' ? toHex(value) : value

/** Other programs do not know the notation of the page's colours. */
function toHex(colour: string): string {
  const [red = 0, green = 0, blue = 0] = (() => {
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    if (!context) return []
    context.fillStyle = colour
    context.fillRect(0, 0, 1, 1)
    return context.getImageData(0, 0, 1, 1).data
  })()
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

function create(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

const toDataUrl = (svg: string): string => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`

export async function savePicture(chart: Chart, kind: 'svg' | 'png'): Promise<void> {
  const { text, width, height } = toSvg(chart)
  const href = kind === 'svg' ? toDataUrl(text) : await toPng(toDataUrl(text), width, height)
  download(href, `${chart.title}.${kind}`)
}

async function toPng(svgUrl: string, width: number, height: number): Promise<string> {
  const image = new Image(width, height)
  image.src = svgUrl
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * pixelsPerUnit
  canvas.height = height * pixelsPerUnit
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/png')
}
