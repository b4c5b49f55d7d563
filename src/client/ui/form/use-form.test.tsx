// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import { expect, it } from 'vitest'
import { ToastProvider } from '../toast/toast.tsx'
import { Field } from './field.tsx'
import { useForm } from './use-form.ts'

function Form({ saved }: { saved: Promise<void> }): JSX.Element {
  const form = useForm({
    initial: { menu: '', wifi: '' },
    parse: (values) => ({ ok: true, value: values }),
    async submit({ menu }, { reset }) {
      await saved
      reset({ menu: `https://${menu}/`, wifi: '' })
    },
  })
  return (
    <form {...form.props}>
      <Field label="Menu" {...form.field('menu')} />
      <Field label="Wi-Fi" {...form.field('wifi')} />
      <button>{form.state}</button>
    </form>
  )
}

it('keeps what is typed while the answer is on its way', async () => {
  const saved = Promise.withResolvers<void>()
  render(
    <ToastProvider>
      <Form saved={saved.promise} />
    </ToastProvider>,
  )
  const valueOf = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } })
  type('Menu', 'menu.example')
  fireEvent.click(screen.getByRole('button', { name: 'idle' }))
  await screen.findByRole('button', { name: 'sending' })
  type('Wi-Fi', 'Guests')
  saved.resolve()
  await screen.findByRole('button', { name: 'idle' })
  expect([valueOf('Menu'), valueOf('Wi-Fi')]).toEqual(['https://menu.example/', 'Guests'])
})
