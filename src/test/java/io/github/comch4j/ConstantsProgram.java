package io.github.comch4j;

import io.github.comch4j.core.Access;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciFunctionType;
import io.github.comch4j.core.RepresentorFilter;
import java.util.Arrays;
import java.util.List;

/** Uses what a program may use where there are no libraries, and writes it to stdout. */
public final class ConstantsProgram {
    private ConstantsProgram() {}

    /** No arguments. */
    public static void main(String[] arguments) {
        for (Enum<?>[] constants : List.of(
                DocaError.values(),
                ContextState.values(),
                Access.values(),
                PciFunctionType.values(),
                RepresentorFilter.values())) {
            System.out.println(Arrays.toString(constants));
        }
        System.out.println(Doca.buildVersion());
    }
}
