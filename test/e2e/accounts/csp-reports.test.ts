import { expect, it } from 'vitest'
import { setUpApp } from '../../support/app.ts'
import { openPage } from '../support/browser.ts'

const app = setUpApp()

it('reports of what the content security policy blocks arrive over plain http', async () => {
  const page = await openPage({ tolerate: [/elsewhere\.test/] })
  await page.goto(app.url)
  await page.evaluate(() => {
    const picture = document.createElement('img')
    picture.src = 'https://elsewhere.test/pixel.png'
    document.body.append(picture)
  })
  await expect
    .poll(() => app.lines.filter((line) => line.includes('content security policy violated')).join())
    .toContain('elsewhere.test')
})
