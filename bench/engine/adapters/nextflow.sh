#!/bin/sh
# Nextflow from the jars in NEXTFLOW_JARS, with the access to Java's own packages it asks for.
open=
for package in java.lang java.io java.nio java.net java.util java.util.concurrent java.util.concurrent.locks \
	java.util.concurrent.atomic java.util.regex sun.nio.ch sun.nio.fs sun.net.www.protocol.http \
	sun.net.www.protocol.https jdk.internal.misc jdk.internal.vm; do
	open="$open --add-opens=java.base/$package=ALL-UNNAMED"
done
exec java -XX:TieredStopAtLevel=1 $open -cp "$NEXTFLOW_JARS/*" nextflow.cli.Launcher "$@"
