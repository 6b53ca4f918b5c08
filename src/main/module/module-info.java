/**
 * NVIDIA DOCA Comch for Java, with an emulated BlueField to develop and test on.
 *
 * <p>It makes native calls: run with {@code --enable-native-access=io.github.comch4j}, or {@code ALL-UNNAMED} when it
 * is on the class path. It reads its own memory only through {@link java.lang.foreign} and needs no package of the JDK
 * opened.
 */
module io.github.comch4j {
    requires static java.logging; // where System.Logger leads to it
    requires static jdk.jfr; // events are for those JVMs that have it
    requires static org.jspecify; // not transitive: consumers without it could not be compiled
    requires static transitive java.management; // io.github.comch4j.management alone needs it
    requires static io.netty.transport; // io.github.comch4j.netty alone needs these; not transitive, as above
    requires static io.netty.buffer;
    requires static io.netty.common;
    requires static io.netty.codec.http2; // io.github.comch4j.net alone needs these
    requires static io.netty.handler;
    requires static micrometer.core; // io.github.comch4j.micrometer alone needs it

    exports io.github.comch4j;
    exports io.github.comch4j.channel;
    exports io.github.comch4j.comch;
    exports io.github.comch4j.core;
    exports io.github.comch4j.dma;
    exports io.github.comch4j.dpa;
    exports io.github.comch4j.emulator;
    exports io.github.comch4j.io;
    exports io.github.comch4j.management;
    exports io.github.comch4j.micrometer;
    exports io.github.comch4j.netty;
    exports io.github.comch4j.net;
    exports io.github.comch4j.rpc;
}
