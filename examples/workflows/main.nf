// nextflow run main.nf: one process runs the whole pipeline. Its directory is a new one for each run, so the store has
// an absolute path, and so have the files in the table of participants.
params.study = 'study.yaml'
params.store = "${launchDir}/store"

process PRGNN {
    cpus 2
    publishDir 'out', mode: 'copy'

    input:
    path study

    output:
    path 'scores.tsv'

    script:
    """
    pipeline run $study --store ${params.store} -j ${task.cpus} -q
    pipeline export $study evaluate --store ${params.store} -o scores.tsv -q
    """
}

workflow { PRGNN(Channel.fromPath(params.study)) }
