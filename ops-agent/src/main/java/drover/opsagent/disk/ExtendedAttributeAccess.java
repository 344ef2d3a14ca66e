package drover.opsagent.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Extended attributes of a file. The JDK knows those of users alone, not capabilities, access
 * control lists and labels; so the C library is called.
 */
@SuppressWarnings("restricted") // whoever starts an agent allows it calls of the C library
final class ExtendedAttributeAccess {
    /** Signatures of one content, which only the kernel writes. */
    private static final Set<String> SIGNATURES = Set.of("security.ima", "security.evm");

    private static final int MOST_BYTES = 64 * 1024; // XATTR_SIZE_MAX and XATTR_LIST_MAX
    private static final int NO_DATA = 61; // ENODATA

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle LIST =
            function("listxattr", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle GET =
            function(
                    "getxattr",
                    FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle SET =
            function(
                    "setxattr",
                    FunctionDescriptor.of(
                            JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle REMOVE =
            function("removexattr", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));

    private ExtendedAttributeAccess() {}

    private static MethodHandle function(String name, FunctionDescriptor types) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                types,
                Linker.Option.captureCallState("errno"));
    }

    /** All of a file but signatures, by name, values in hexadecimal; a link is followed. */
    static Map<String, String> read(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Map<String, String> found = new TreeMap<>();
            for (String name : names(arena, file)) {
                if (!SIGNATURES.contains(name)) {
                    readValue(arena, file, name, found);
                }
            }
            return found;
        }
    }

    private static List<String> names(Arena arena, Path file) throws IOException {
        MemorySegment state = arena.allocate(STATE);
        MemorySegment names = arena.allocate(MOST_BYTES);
        long size;
        try {
            size =
                    (long)
                            LIST.invokeExact(
                                    state,
                                    arena.allocateFrom(file.toString()),
                                    names,
                                    (long) MOST_BYTES);
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
        if (size < 0) {
            if (errno(state) == IOExceptionReasons.NOT_SUPPORTED) {
                return List.of();
            }
            throw failure(file, "its attributes cannot be listed", state);
        }
        byte[] bytes = names.asSlice(0, size).toArray(JAVA_BYTE);
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.isEmpty()
                ? List.of()
                : List.of(text.split("\0", -1)).stream().filter(name -> !name.isEmpty()).toList();
    }

    private static void readValue(Arena arena, Path file, String name, Map<String, String> found)
            throws IOException {
        MemorySegment state = arena.allocate(STATE);
        MemorySegment value = arena.allocate(MOST_BYTES);
        long size;
        try {
            size =
                    (long)
                            GET.invokeExact(
                                    state,
                                    arena.allocateFrom(file.toString()),
                                    arena.allocateFrom(name),
                                    value,
                                    (long) MOST_BYTES);
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
        if (size >= 0) {
            byte[] bytes = value.asSlice(0, size).toArray(JAVA_BYTE);
            found.put(name, HexFormat.of().formatHex(bytes));
        } else if (errno(state) != NO_DATA) { // removed meanwhile
            throw failure(file, "its attribute " + name + " cannot be read", state);
        }
    }

    /** Makes the attributes of a file these; signatures of its content stay the kernel's. */
    static void write(Path file, Map<String, String> wanted) throws IOException {
        Map<String, String> present = read(file);
        for (Map.Entry<String, String> attribute : wanted.entrySet()) {
            if (!attribute.getValue().equals(present.get(attribute.getKey()))) {
                set(file, attribute.getKey(), HexFormat.of().parseHex(attribute.getValue()));
            }
        }
        for (String name : present.keySet()) {
            if (!wanted.containsKey(name)) {
                remove(file, name);
            }
        }
    }

    private static void set(Path file, String name, byte[] value) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment bytes = arena.allocate(Math.max(1, value.length));
            MemorySegment.copy(value, 0, bytes, JAVA_BYTE, 0, value.length);
            int result =
                    (int)
                            SET.invokeExact(
                                    state,
                                    arena.allocateFrom(file.toString()),
                                    arena.allocateFrom(name),
                                    bytes,
                                    (long) value.length,
                                    0);
            if (result < 0) {
                throw failure(file, "it cannot be given the attribute " + name, state);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }

    private static void remove(Path file, String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result =
                    (int)
                            REMOVE.invokeExact(
                                    state,
                                    arena.allocateFrom(file.toString()),
                                    arena.allocateFrom(name));
            if (result < 0 && errno(state) != NO_DATA) {
                throw failure(file, "its attribute " + name + " cannot be removed", state);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }

    private static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    private static IOException failure(Path file, String what, MemorySegment state) {
        return new FileSystemException(
                file.toString(), null, what + ": " + IOExceptionReasons.message(errno(state)));
    }
}
