// The viewer of a report: the regions in the brain, turned by hand. Everything that it
// shows is in the page (#viewer-data). Where there is no WebGL 2, nothing happens: the
// slices that stand below it say the same.
import { Niivue, NVImage, SLICE_TYPE, SHOW_RENDER, MULTIPLANAR_TYPE } from '@niivue/niivue'

const $ = id => document.getElementById(id)
const make = (tag, attributes = {}, ...children) => {
  const e = document.createElement(tag)
  for (const [k, v] of Object.entries(attributes)) k in e ? (e[k] = v) : e.setAttribute(k, v)
  e.append(...children)
  return e
}
const hasWebGL = () => {
  try {
    return !!document.createElement('canvas').getContext('webgl2')
  } catch {
    return false
  }
}

async function start() {
  const box = $('viewer'), data = $('viewer-data')
  if (!box || !data || !hasWebGL()) return
  const { volumes, regions } = JSON.parse(data.textContent)
  const canvas = $('brain'), where = $('where'), controls = box.querySelector('.controls')
  box.hidden = false // a canvas that is hidden has no size
  const nv = new Niivue({
    backColor: [1, 1, 1, 1], fontColor: [0.13, 0.15, 0.17, 1], crosshairColor: [0, 0.45, 0.7, 0.9], crosshairGap: 4, crosshairWidthUnit: 'mm', crosshairWidth: 0.8,
    isColorbar: true, show3Dcrosshair: true, isOrientationTextVisible: true, dragAndDropEnabled: false, loadingText: '', logLevel: 'error',
    multiplanarShowRender: SHOW_RENDER.ALWAYS, multiplanarLayout: MULTIPLANAR_TYPE.GRID, multiplanarEqualSize: true,
    // Where there is room, the surface stands large beside the slices.
    heroImageFraction: canvas.clientWidth > 700 ? 0.45 : 0, heroSliceType: SLICE_TYPE.RENDER,
  })
  // The colours of the other pictures: what lies under the regions is light on a white
  // ground, and the higher a score, the darker it is.
  nv.addColormap('paper', { R: [255, 80, 235], G: [255, 80, 235], B: [255, 80, 235], A: [0, 255, 255], I: [0, 1, 255] })
  nv.addColormap('heat', {
    R: [254, 254, 254, 253, 252, 227, 189, 128], G: [217, 217, 178, 141, 78, 26, 0, 0], B: [118, 118, 76, 60, 42, 28, 38, 38],
    A: [0, 255, 255, 255, 255, 255, 255, 255], I: [0, 1, 43, 85, 128, 170, 213, 255], // below the first score: nothing
  })
  nv.opts.tileMargin = -1 // room for the letters outside a slice, where NiiVue 0.69 does not put them
  const letters = nv.drawSliceOrientationText.bind(nv)
  nv.drawSliceOrientationText = ([left, top, width, height], ...more) => {
    const x = Math.max(0, left - nv.fontPx - 2), y = Math.max(0, top - nv.fontPx - 2)
    letters([x, y, width + 2 * (left - x), height + 2 * (top - y)], ...more)
  }
  await nv.attachToCanvas(canvas)
  nv.opts.isNearestInterpolation = true
  const images = []
  const choices = volumes.map((v, i) => ({ ...v, at: i })).filter(v => v.choice)
  let shown = choices[0] // the others begin hidden: the first frame shows one map
  for (const [i, v] of volumes.entries()) {
    const seen = !v.choice || i === shown.at
    const image = await NVImage.loadFromBase64({ base64: v.data, name: v.name + '.nii.gz', colormap: v.colormap, opacity: seen ? v.opacity : 0, cal_min: v.low, cal_max: v.high, colorbarVisible: v.choice && seen })
    nv.addVolume(image)
    images.push(image)
  }
  nv.setInterpolation(true)
  nv.setSliceType(SLICE_TYPE.MULTIPLANAR)

  const byLabel = new Map(regions.map(r => [r.label, r]))
  const labels = volumes.findIndex(v => v.labels)
  const say = mm => {
    const at = `(${[...mm].slice(0, 3).map(x => Math.round(x)).join(', ')}) mm`
    const region = byLabel.get(labelAt(mm))
    where.textContent = region ? `${region.name}${region.short && region.short !== region.name ? ` (${region.short})` : ''} · ${region.text} · ${at}` : `no region · ${at}`
  }
  const labelAt = mm => {
    if (labels < 0) return 0
    const image = images[labels]
    const vox = image.mm2vox([...mm].slice(0, 3))
    return Math.round(image.getValue(...vox))
  }
  nv.onLocationChange = location => say(location.mm)
  const goTo = (x, y, z) => {
    nv.scene.crosshairPos = nv.mm2frac([x, y, z])
    nv.createOnLocationChange()
    nv.drawScene()
  }

  // Controls: what is shown, from which side, and from which score on.
  const show = () => {
    for (const v of choices) nv.setOpacity(v.at, v === shown ? v.opacity : 0)
    for (const v of choices) images[v.at].colorbarVisible = v === shown
    from.value = 0
    level()
  }
  const from = make('input', { type: 'range', min: 0, max: 100, value: 0, id: 'from' })
  const level = () => {
    const image = images[shown.at], low = shown.low + (shown.high - shown.low) * from.value / 101
    image.cal_min = low
    nv.updateGLVolume()
    fromText.textContent = low.toFixed(3)
    from.setAttribute('aria-valuetext', low.toFixed(3))
  }
  const fromText = make('span', { className: 'small' })
  const sides = [['slices and surface', SLICE_TYPE.MULTIPLANAR], ['axial', SLICE_TYPE.AXIAL], ['coronal', SLICE_TYPE.CORONAL], ['sagittal', SLICE_TYPE.SAGITTAL], ['surface', SLICE_TYPE.RENDER]]
  const buttons = sides.map(([name, type], i) => make('button', {
    type: 'button', ariaPressed: i === 0 ? 'true' : 'false',
    onclick: e => {
      for (const b of buttons) b.ariaPressed = b === e.target ? 'true' : 'false'
      nv.setSliceType(type)
    },
  }, name))
  if (choices.length > 1) {
    const select = make('select', { onchange: e => { shown = choices[e.target.value]; show() } }, ...choices.map((v, i) => make('option', { value: i }, v.name)))
    controls.append(make('label', {}, 'Map', select))
  }
  if (choices.length) {
    from.oninput = level
    controls.append(make('label', {}, 'From', from, fromText))
  }
  controls.append(...buttons)

  // The keyboard moves the crosshair, and with Shift turns the surface. NiiVue gets no keys: its own ones are not in the text.
  const turns = { ArrowLeft: [-15, 0], ArrowRight: [15, 0], ArrowUp: [0, 15], ArrowDown: [0, -15] } // degrees of azimuth and elevation
  const steps = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1] }
  canvas.addEventListener('keyup', e => e.stopImmediatePropagation(), true)
  canvas.addEventListener('keydown', e => {
    e.stopImmediatePropagation()
    const step = steps[e.key], turn = e.shiftKey && turns[e.key]
    if (!step || e.ctrlKey || e.metaKey || e.altKey) return
    if (turn) {
      const { renderAzimuth, renderElevation } = nv.scene
      nv.setRenderAzimuthElevation(renderAzimuth + turn[0], Math.max(-90, Math.min(90, renderElevation + turn[1])))
    } else {
      nv.moveCrosshairInVox(...step)
      nv.createOnLocationChange()
    }
    e.preventDefault()
  }, true)

  // The names of regions in the tables go to their places.
  for (const span of document.querySelectorAll('span.place')) {
    const { x, y, z } = span.dataset
    const button = make('button', { type: 'button', className: 'place', title: 'show it in the viewer' }, span.textContent)
    button.addEventListener('click', () => {
      goTo(+x, +y, +z)
      box.scrollIntoView({ block: 'nearest' })
    })
    span.replaceWith(button)
  }

  if (choices.length) show()
  const first = regions.find(r => r.rank === 1)
  if (first) goTo(first.x, first.y, first.z)
  document.documentElement.dataset.viewer = 'ready'
}

start().catch(error => {
  // The slices below say the same.
  const box = $('viewer')
  if (box) box.hidden = true
  document.documentElement.dataset.viewer = 'failed'
  console.error(error)
})
