import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url'

const overrides = { locateFile: (): string => wasmUrl }

/** The decoder's own files come from this server, in the version of its script. */
export async function decode(image: ImageData): Promise<string | null> {
  prepareZXingModule({ overrides })
  const [code] = await readBarcodes(image, { formats: ['QRCode'], tryHarder: true, maxNumberOfSymbols: 1 })
  return code?.isValid ? code.text : null
}
