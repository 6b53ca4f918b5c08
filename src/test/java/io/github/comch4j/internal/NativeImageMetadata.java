package io.github.comch4j.internal;

import io.github.comch4j.ffi.Lookup;
import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.channel.channel_h;
import io.github.comch4j.ffi.dma.dma_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.ffi.dpa.dpa_h;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.load.LateLibrary;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.transport.Upcalls;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What GraalVM's native-image must know of this library, as reachability-metadata.json: each shape of a downcall and of
 * an upcall, what is looked up by name, and the libraries in the jar. The shapes come from the descriptors of the
 * generated bindings and from the handles that the classes written by hand have in static fields.
 *
 * <p>Types of the JNI are used for integers, because their sizes are the same on every platform.
 */
final class NativeImageMetadata {
    private static final List<String> GENERATED = List.of("io.github.comch4j.ffi.", "io.github.comch4j.ffi.cc.");
    private static final String OURS = "io.github.comch4j.internal.";

    /** The handles of ours with options, by their fields: how many arguments are not variadic. */
    private static final Map<String, Integer> VARIADIC =
            Map.of("FCNTL", 2, "LOG", 2, "RPC", 3, "LAUNCH_AND_SET", 7, "LAUNCH_AND_ADD", 7, "WRITE_LOG", 6);
    /** Called through handles of ours. */
    private static final Set<Class<?>> VARIADIC_FUNCTIONS = Set.of(
            doca_h.doca_log.class,
            doca_h.doca_dpa_rpc.class,
            doca_h.doca_dpa_kernel_launch_update_set.class,
            doca_h.doca_dpa_kernel_launch_update_add.class);

    private final Set<String> downcalls = new TreeSet<>();
    private final Set<String> upcalls = new TreeSet<>();
    private final List<String> directUpcalls = new ArrayList<>();
    private final List<String> reflection = new ArrayList<>();

    private NativeImageMetadata() {}

    /** The file's text. */
    static String generate() {
        LateLibrary.DPA.check(); // its functions are among the bindings
        LateLibrary.DMA.check();
        NativeImageMetadata metadata = new NativeImageMetadata();
        try {
            metadata.generatedFunctions();
            metadata.generatedCallbacks();
            checkVariadicFunctions();
            metadata.handlesOfOurs();
            metadata.upcallsOfOurs();
            metadata.kernels();
        } catch (ReflectiveOperationException | IOException e) {
            throw new AssertionError(e);
        }
        metadata.reflect(Symbols.class.getName(), List.of(method("raiseMissing", "java.lang.String")), List.of());
        metadata.reflect(Engine.class.getName(), List.of(), List.of("owner"));
        return metadata.text();
    }

    /** Also of those that the loaded libraries lack, which have some address for that; nobody calls them. */
    private void generatedFunctions() throws ReflectiveOperationException {
        MemorySegment any = Symbols.find("doca_pe_create").orElseThrow();
        Lookup.set(name -> Symbols.find(name).or(() -> Optional.of(any)));
        for (Class<?> bindings : List.of(doca_h.class, cc_h.class, channel_h.class, dma_h.class, dpa_h.class)) {
            for (Method method : bindings.getMethods()) {
                if (method.getName().endsWith("$descriptor")) {
                    downcalls.add(shape((FunctionDescriptor) method.invoke(null)));
                }
            }
        }
    }

    private void generatedCallbacks() throws ReflectiveOperationException, IOException {
        for (String generated : GENERATED) {
            for (String name : classNames(Path.of("generated", generated.split("[.]")))) {
                generatedCallback(Class.forName(generated + name));
            }
        }
    }

    private void generatedCallback(Class<?> callback) throws ReflectiveOperationException {
        if (Stream.of(callback.getClasses())
                .anyMatch(nested -> nested.getSimpleName().equals("Function"))) {
            String shape =
                    shape((FunctionDescriptor) callback.getMethod("descriptor").invoke(null));
            upcalls.add(shape);
            downcalls.add(shape);
            Class<?> function = Class.forName(callback.getName() + "$Function");
            reflect(
                    function.getName(),
                    List.of(method("apply", parameterNames(function.getMethods()[0].getParameterTypes()))),
                    List.of());
        }
    }

    private static void checkVariadicFunctions() {
        for (Class<?> function : doca_h.class.getClasses()) {
            if (!VARIADIC_FUNCTIONS.contains(function)) {
                throw new AssertionError("a new variadic function: " + function);
            }
        }
    }

    /** Their stubs are made for each kernel, of two methods. */
    private void kernels() throws ReflectiveOperationException {
        Class<?> stubs = Class.forName("io.github.comch4j.emulator.KernelStubs");
        List<String> methods = new ArrayList<>();
        for (String name : List.of("THREAD run", "FUNCTION call")) {
            Field field = stubs.getDeclaredField(name.split(" ")[0]);
            field.setAccessible(true);
            upcalls.add(shape((FunctionDescriptor) field.get(null)));
            for (Method method : stubs.getDeclaredMethods()) {
                if (method.getName().equals(name.split(" ")[1])) {
                    methods.add(method(method.getName(), parameterNames(method.getParameterTypes())));
                }
            }
        }
        reflect(stubs.getName(), methods, List.of());
    }

    private static String variadic(int first) {
        return ", \"options\": {\"firstVariadicArg\": " + first + "}";
    }

    private void handlesOfOurs() throws ReflectiveOperationException, IOException {
        for (String part : List.of("call", "life", "load", "observe", "transport")) {
            for (String name :
                    classNames(Path.of("src", "main", "java", "io", "github", "comch4j", "internal", part))) {
                if (!name.equals("package-info")) {
                    handlesOf(Class.forName(OURS + part + "." + name));
                }
            }
        }
    }

    private void handlesOf(Class<?> type) throws ReflectiveOperationException {
        for (Field field : type.getDeclaredFields()) {
            if (field.getType() == MethodHandle.class && Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                MethodHandle handle = (MethodHandle) field.get(null);
                if (handle == null) {
                    throw new AssertionError(field + ": not linked here");
                }
                Integer first = VARIADIC.get(field.getName());
                downcalls.add(shape(handle.type(), first == null ? "" : variadic(first)));
            }
        }
        for (Class<?> nested : type.getDeclaredClasses()) {
            handlesOf(nested);
        }
    }

    /** Each stub in {@link Upcalls} has a static method of primitive arguments. */
    private void upcallsOfOurs() {
        List<String> methods = new ArrayList<>();
        Method[] all = Upcalls.class.getDeclaredMethods();
        Arrays.sort(all, java.util.Comparator.comparing(Method::getName));
        for (Method method : all) {
            if (!method.isSynthetic()
                    && method.getParameterCount() > 0
                    && Stream.of(method.getParameterTypes())
                            .allMatch(type -> type == long.class || type == int.class || type == byte.class)) {
                MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
                directUpcalls.add("{\"class\": \"" + Upcalls.class.getName() + "\", \"method\": \"" + method.getName()
                        + "\", " + shape(type, "").substring(1));
                methods.add(method(method.getName(), parameterNames(method.getParameterTypes())));
            }
        }
        int stubs = Upcalls.Stub.values().length;
        if (stubs != methods.size()) {
            throw new AssertionError(stubs + " stubs, and methods " + methods);
        }
        reflect(Upcalls.class.getName(), methods, List.of());
    }

    private static List<String> classNames(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.replace(".java", ""))
                    .sorted()
                    .toList();
        }
    }

    private void reflect(String type, List<String> methods, List<String> fields) {
        reflection.add("{\"type\": \"" + type + "\""
                + (methods.isEmpty() ? "" : ", \"methods\": [" + String.join(", ", methods) + "]")
                + (fields.isEmpty()
                        ? ""
                        : ", \"fields\": ["
                                + fields.stream()
                                        .map(field -> "{\"name\": \"" + field + "\"}")
                                        .collect(Collectors.joining(", "))
                                + "]")
                + "}");
    }

    private static String method(String name, String... parameters) {
        return "{\"name\": \"" + name + "\", \"parameterTypes\": " + quoted(List.of(parameters)) + "}";
    }

    private static String[] parameterNames(Class<?>[] types) {
        return Stream.of(types).map(Class::getName).toArray(String[]::new);
    }

    private static String shape(FunctionDescriptor descriptor, String... more) {
        return shape(
                descriptor.returnLayout().map(NativeImageMetadata::layout).orElse("void"),
                descriptor.argumentLayouts().stream()
                        .map(NativeImageMetadata::layout)
                        .toList(),
                String.join("", more));
    }

    private static String shape(MethodType type, String more) {
        Function<Class<?>, String> name = one -> one == void.class
                ? "void"
                : layout(Map.of(
                                int.class,
                                ValueLayout.JAVA_INT,
                                long.class,
                                ValueLayout.JAVA_LONG,
                                byte.class,
                                ValueLayout.JAVA_BYTE,
                                short.class,
                                ValueLayout.JAVA_SHORT,
                                MemorySegment.class,
                                ValueLayout.ADDRESS)
                        .get(one));
        return shape(
                name.apply(type.returnType()),
                type.parameterList().stream().map(name).toList(),
                more);
    }

    private static String shape(String returned, List<String> parameters, String more) {
        return "{\"returnType\": \"" + returned + "\", \"parameterTypes\": " + quoted(parameters) + more + "}";
    }

    private static String quoted(List<String> texts) {
        return texts.stream().map(text -> '"' + text + '"').collect(Collectors.joining(", ", "[", "]"));
    }

    /** In the syntax of the file. */
    private static String layout(MemoryLayout layout) {
        return switch (layout) {
            case AddressLayout ignored -> "void*";
            case ValueLayout.OfInt ignored -> "jint";
            case ValueLayout.OfLong ignored -> "jlong";
            case ValueLayout.OfShort ignored -> "jshort";
            case ValueLayout.OfByte ignored -> "jbyte";
            case ValueLayout.OfBoolean ignored -> "jboolean";
            case ValueLayout.OfFloat ignored -> "jfloat";
            case ValueLayout.OfDouble ignored -> "jdouble";
            case GroupLayout group ->
                group.memberLayouts().stream()
                        .map(NativeImageMetadata::layout)
                        .collect(Collectors.joining(", ", group instanceof StructLayout ? "struct(" : "union(", ")"));
            case SequenceLayout sequence ->
                "sequence(" + sequence.elementCount() + ", " + layout(sequence.elementLayout()) + ")";
            case PaddingLayout padding -> "padding(" + padding.byteSize() + ")";
            case ValueLayout other -> throw new AssertionError("no name for " + other);
        };
    }

    private String text() {
        StringBuilder text = new StringBuilder("{\n");
        text.append("  \"comment\": \"Made from the bindings by NativeImageMetadataTest; "
                + "-Dcomch4j.update=true writes it anew.\",\n");
        section(text, "  ", "reflection", reflection, true);
        section(text, "  ", "resources", List.of("{\"glob\": \"native/*/*.so\"}"), true);
        text.append("  \"foreign\": {\n");
        section(text, "    ", "downcalls", List.copyOf(downcalls), true);
        section(text, "    ", "upcalls", List.copyOf(upcalls), true);
        section(text, "    ", "directUpcalls", directUpcalls, false);
        return text.append("  }\n}\n").toString();
    }

    private static void section(StringBuilder text, String indent, String name, List<String> entries, boolean more) {
        text.append(indent).append('"').append(name).append("\": [\n");
        text.append(entries.stream().map(entry -> indent + "  " + entry).collect(Collectors.joining(",\n")));
        text.append('\n').append(indent).append(more ? "],\n" : "]\n");
    }
}
