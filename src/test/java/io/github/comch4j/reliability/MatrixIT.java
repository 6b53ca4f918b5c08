package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.reliability.Matrix.Cell;
import io.github.comch4j.reliability.Matrix.Fault;
import io.github.comch4j.reliability.Matrix.Side;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is sent arrives whole and in order, or both ends hear that it does not: every path under every fault. Choose
 * with {@code -Dmatrix.paths=socket,slots -Dmatrix.faults=fail_send -Dmatrix.places=1,5 -Dmatrix.sides=writer
 * -Dmatrix.direct=true}.
 */
class MatrixIT {
    private static final List<Integer> PLACES = List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    private static final List<Integer> FEW = List.of(1, 5, 9);

    @Test
    void aPartOfAllCells() {
        run(cells(FEW, false));
    }

    @Test
    @Tag("matrix")
    void allCells() {
        int every = Integer.getInteger("matrix.every", 1);
        List<Cell> all = cells(PLACES, true);
        run(IntStream.range(0, all.size())
                .filter(i -> i % every == 0)
                .mapToObj(all::get)
                .toList());
    }

    private static <T> List<T> chosen(String property, List<T> all) {
        String wanted = System.getProperty("matrix." + property, "");
        List<String> names = Arrays.asList(wanted.toUpperCase(Locale.ROOT).split(","));
        return wanted.isEmpty()
                ? all
                : all.stream()
                        .filter(one -> names.contains((one instanceof MatrixPath path ? path.name() : one.toString())
                                .toUpperCase(Locale.ROOT)))
                        .toList();
    }

    private static List<Cell> cells(List<Integer> usual, boolean whole) {
        Machine.useEmulation();
        List<Integer> places = chosen("places", System.getProperty("matrix.places") == null ? usual : PLACES);
        List<Fault> faults =
                chosen("faults", Stream.of(Fault.values()).filter(Fault::exists).toList());
        List<Cell> cells = new ArrayList<>();
        for (boolean direct : chosen("direct", List.of(true, false))) {
            for (MatrixPath path : chosen(
                    "paths", MatrixPaths.ALL.stream().filter(MatrixPath::exists).toList())) {
                for (Fault fault : faults) {
                    for (Side side : chosen("sides", List.of(Side.values()))) {
                        for (int place : places) {
                            Cell cell = new Cell(path, fault, place, side, direct);
                            if (isPossible(cell) && (whole || isOfThePart(cell))) {
                                cells.add(cell);
                            }
                        }
                    }
                }
            }
        }
        return cells;
    }

    private static boolean isPossible(Cell cell) {
        return switch (cell.fault()) {
            case LOSE_RECEIVE ->
                !cell.path().tellsFailedReceives() && cell.path().tellsLosses(cell.side());
            case REFUSE -> cell.side() == Side.READER && cell.place() <= 3;
            case KILL, STOP -> cell.side() != Side.BOTH && cell.place() <= 5;
            default -> true;
        };
    }

    @SuppressWarnings("EnumOrdinal") // any number of the fault will do
    private static boolean isOfThePart(Cell cell) {
        return cell.side() != Side.BOTH && (cell.place() + cell.fault().ordinal()) % 3 == (cell.direct() ? 0 : 1);
    }

    private static void run(List<Cell> cells) {
        long began = System.nanoTime();
        List<String> wrong = new CopyOnWriteArrayList<>();
        Map<String, Integer> tally = new ConcurrentSkipListMap<>();
        Matrix.run(cells, Integer.getInteger("matrix.lanes", 3), wrong, tally);
        tally.forEach((what, count) -> System.out.println("  " + what + ": " + count));
        System.out.println("matrix: " + cells.size() + " cells, " + wrong.size() + " wrong, "
                + (System.nanoTime() - began) / 1_000_000_000L + " s");
        assertThat(wrong).isEmpty();
    }
}
