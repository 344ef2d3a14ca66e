package drover.kit.rest.openapi;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.GenericDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the contracts say of their elements. Generated classes have no comments, so they come from
 * the descriptor set that the build packs beside them.
 *
 * @param texts by full name; an enum's value is named below its enum
 */
record ProtoComments(Map<String, String> texts) {
    private static final String PACKED = "/drover/contracts.binpb";

    /** The end of a sentence, or of a text. */
    private static final String END = "(?<=[.!?])\\s+";

    ProtoComments {
        texts = Map.copyOf(texts);
    }

    /** Those of the contracts that this program was built with. */
    static ProtoComments ofContracts() {
        try (InputStream packed = ProtoComments.class.getResourceAsStream(PACKED)) {
            if (packed == null) {
                throw new IllegalStateException("The contracts are not packed: " + PACKED);
            }
            return of(FileDescriptorSet.parseFrom(packed));
        } catch (IOException e) {
            throw new UncheckedIOException("The packed contracts cannot be read: " + PACKED, e);
        }
    }

    /** Those of a set with source information. */
    static ProtoComments of(FileDescriptorSet set) {
        Map<String, String> texts = new HashMap<>();
        for (FileDescriptorProto file : set.getFileList()) {
            Map<List<Integer>, String> names = elementNames(file);
            file.getSourceCodeInfo()
                    .getLocationList()
                    .forEach(
                            place -> {
                                String name = names.get(place.getPathList());
                                if (name != null && place.hasLeadingComments()) {
                                    texts.put(name, unwrapLines(place.getLeadingComments()));
                                }
                            });
        }
        return new ProtoComments(texts);
    }

    /** The comment of a service, method, message, field or enum; empty when it has none. */
    String of(GenericDescriptor element) {
        return texts.getOrDefault(element.getFullName(), "");
    }

    /** The comment of an enum's value; empty when it has none. */
    String of(EnumValueDescriptor value) {
        return texts.getOrDefault(value.getType().getFullName() + "." + value.getName(), "");
    }

    /** The first sentence of a text. */
    static String firstSentence(String text) {
        return text.split(END, 2)[0];
    }

    /** Lines of a paragraph belong together; an empty line stays. */
    private static String unwrapLines(String comment) {
        return Stream.of(comment.strip().split("\\n\\s*\\n"))
                .map(paragraph -> paragraph.lines().map(String::strip))
                .map(lines -> lines.collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n\n"));
    }

    /**
     * The elements of a file by their paths, which are made of the field numbers that lead there.
     */
    private static Map<List<Integer>, String> elementNames(FileDescriptorProto file) {
        Map<List<Integer>, String> names = new HashMap<>();
        String home = file.getPackage();
        for (int i = 0; i < file.getMessageTypeCount(); i++) {
            List<Integer> path = List.of(FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, i);
            putMessageNames(file.getMessageType(i), path, home, names);
        }
        for (int i = 0; i < file.getEnumTypeCount(); i++) {
            List<Integer> path = List.of(FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, i);
            putEnumNames(file.getEnumType(i), path, home, names);
        }
        for (int i = 0; i < file.getServiceCount(); i++) {
            List<Integer> path = List.of(FileDescriptorProto.SERVICE_FIELD_NUMBER, i);
            putServiceNames(file.getService(i), path, home, names);
        }
        return names;
    }

    private static void putMessageNames(
            DescriptorProto message,
            List<Integer> path,
            String home,
            Map<List<Integer>, String> names) {
        String name = home + "." + message.getName();
        names.put(path, name);
        for (int i = 0; i < message.getFieldCount(); i++) {
            names.put(
                    childPath(path, DescriptorProto.FIELD_FIELD_NUMBER, i),
                    name + "." + message.getField(i).getName());
        }
        for (int i = 0; i < message.getNestedTypeCount(); i++) {
            List<Integer> nested = childPath(path, DescriptorProto.NESTED_TYPE_FIELD_NUMBER, i);
            putMessageNames(message.getNestedType(i), nested, name, names);
        }
        for (int i = 0; i < message.getEnumTypeCount(); i++) {
            List<Integer> nested = childPath(path, DescriptorProto.ENUM_TYPE_FIELD_NUMBER, i);
            putEnumNames(message.getEnumType(i), nested, name, names);
        }
    }

    private static void putEnumNames(
            EnumDescriptorProto type,
            List<Integer> path,
            String home,
            Map<List<Integer>, String> names) {
        String name = home + "." + type.getName();
        names.put(path, name);
        for (int i = 0; i < type.getValueCount(); i++) {
            names.put(
                    childPath(path, EnumDescriptorProto.VALUE_FIELD_NUMBER, i),
                    name + "." + type.getValue(i).getName());
        }
    }

    private static void putServiceNames(
            ServiceDescriptorProto service,
            List<Integer> path,
            String home,
            Map<List<Integer>, String> names) {
        String name = home + "." + service.getName();
        names.put(path, name);
        for (int i = 0; i < service.getMethodCount(); i++) {
            names.put(
                    childPath(path, ServiceDescriptorProto.METHOD_FIELD_NUMBER, i),
                    name + "." + service.getMethod(i).getName());
        }
    }

    private static List<Integer> childPath(List<Integer> path, int field, int index) {
        return IntStream.concat(
                        path.stream().mapToInt(Integer::intValue), IntStream.of(field, index))
                .boxed()
                .toList();
    }
}
