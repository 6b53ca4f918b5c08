package io.github.comch4j.reliability;

import java.util.List;
import java.util.stream.Stream;

/** All paths of the matrix. A new way to send gets a line in one of these lists. */
final class MatrixPaths {
    static final List<MatrixPath> ALL = Stream.of(
                    MatrixFastPaths.all(), MatrixSocketPaths.all(), MatrixCallPaths.all(), MatrixToolPaths.all())
            .flatMap(List::stream)
            .toList();

    private MatrixPaths() {}

    static MatrixPath named(String name) {
        return ALL.stream().filter(path -> path.name().equals(name)).findAny().orElseThrow();
    }
}
