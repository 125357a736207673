// Builds ../viewer.js.gz from viewer.mjs and what package-lock.json pins, and writes
// built.json, which says what it was built from: a test compares.
//
//   npm ci && npm run build        (or make web, from the top)
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const sha256 = data => createHash('sha256').update(data).digest('hex')
// NiiVue begins each ray at a random depth, which shows as noise; half a step is smooth.
let rays = 0
const smooth = { name: 'smooth', setup: b => b.onLoad({ filter: /@niivue[/]niivue[/].*\.js$/ }, ({ path }) => ({
  contents: readFileSync(path, 'utf8').replace(/samplePos \+= deltaDir \* ran\b/g, () => (rays++, 'samplePos += deltaDir * 0.5')),
})) }
const made = await build({
  entryPoints: ['viewer.mjs'], bundle: true, minify: true, plugins: [smooth], format: 'iife', target: 'es2020', charset: 'ascii',
  alias: { numcodecs: './empty.mjs', zarrita: './empty.mjs' },
  legalComments: 'none', write: false, metafile: true, logLevel: 'warning',
})
if (rays !== 4) throw new Error(`${rays} rays of NiiVue begin at a random depth, not 4: read its shaders`)

// The notices of everything that is in the bundle go with it.
const packages = new Set()
for (const [file, { bytesInOutput }] of Object.entries(Object.values(made.metafile.outputs)[0].inputs)) {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]
  if (name && bytesInOutput > 0) packages.add(name)
}
const notices = [...packages].sort().map(name => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`))
  const file = readdirSync(`node_modules/${name}`).find(f => /^licen[cs]e/i.test(f))
  const text = file ? readFileSync(`node_modules/${name}/${file}`, 'utf8') : readFileSync(`LICENSE.${name.replace(/^.*\//, '')}`, 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}`
})
const banner = `/*! This script contains:\n\n${notices.join('\n\n----\n\n').replaceAll('*/', '* /')}\n*/\n`
const code = Buffer.from(banner + made.outputFiles[0].text)

const gz = gzipSync(code, { level: 9 })
gz[9] = 255 // no operating system
writeFileSync('../viewer.js.gz', gz)
const built = {}
for (const file of ['LICENSE.niivue', 'build.mjs', 'empty.mjs', 'package-lock.json', 'package.json', 'viewer.mjs']) built[file] = sha256(readFileSync(file))
built['viewer.js'] = sha256(code)
writeFileSync('built.json', JSON.stringify(built, null, 2) + '\n')
console.log(`viewer.js ${code.length} bytes, ${gz.length} gzipped; ${[...packages].sort().join(', ')}`)
