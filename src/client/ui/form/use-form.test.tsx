// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import type { JSX } from 'react'
import { expect, it } from 'vitest'
import { ToastProvider } from '../toast/toast.tsx'
import { Field } from './field.tsx'
import { useForm } from './use-form.ts'

function Form({ saved }: { saved: Promise<void> }): JSX.Element {
  const form = useForm({
    initial: { menu: '', wifi: '', next: '' },
    parse: (values) => ({ ok: true, value: values }),
    async submit({ menu }, { reset }) {
      await saved
      reset({ menu: `https://${menu}/`, wifi: '', next: '' })
    },
  })
  return (
    <form {...form.props}>
      <Field label="Menu" {...form.field('menu')} />
      <Field label="Wi-Fi" {...form.field('wifi')} />
      <Field label="Next" {...form.field('next')} />
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
  type('Next', '12')
  fireEvent.click(screen.getByRole('button', { name: 'idle' }))
  await screen.findByRole('button', { name: 'sending' })
  type('Wi-Fi', 'Guests')
  // The field still shows what was sent.
  type('Next', '1213')
  saved.resolve()
  await screen.findByRole('button', { name: 'idle' })
  expect(['Menu', 'Wi-Fi', 'Next'].map(valueOf)).toEqual(['https://menu.example/', 'Guests', '13'])
})
