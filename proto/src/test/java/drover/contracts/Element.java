package drover.contracts;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Something that a contract declares.
 *
 * @param name full name; that of an enum value has its enum in it
 * @param comment the comment before it, else the one behind it; empty when there is none
 */
record Element(Kind kind, String name, String comment) {
    /** What can be declared. */
    enum Kind {
        SERVICE,
        RPC,
        MESSAGE,
        FIELD,
        ONEOF,
        ENUM,
        ENUM_VALUE
    }

    /** Everything that a file declares; what the compiler adds by itself is left out. */
    static List<Element> of(FileDescriptorProto file) {
        return new Walk(file).elements();
    }

    /** One pass over a file. Numbers in paths are those of the fields of descriptor.proto. */
    private static final class Walk {
        private final FileDescriptorProto file;
        private final Map<List<Integer>, String> comments = new HashMap<>();
        private final List<Element> found = new ArrayList<>();

        Walk(FileDescriptorProto file) {
            this.file = file;
            for (Location location : file.getSourceCodeInfo().getLocationList()) {
                String comment = location.getLeadingComments() + location.getTrailingComments();
                comments.put(location.getPathList(), comment.strip());
            }
        }

        List<Element> elements() {
            for (int i = 0; i < file.getServiceCount(); i++) {
                service(file.getService(i), List.of(FileDescriptorProto.SERVICE_FIELD_NUMBER, i));
            }
            for (int i = 0; i < file.getMessageTypeCount(); i++) {
                message(
                        file.getPackage(),
                        file.getMessageType(i),
                        List.of(FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, i));
            }
            for (int i = 0; i < file.getEnumTypeCount(); i++) {
                enumeration(
                        file.getPackage(),
                        file.getEnumType(i),
                        List.of(FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, i));
            }
            return List.copyOf(found);
        }

        private void service(ServiceDescriptorProto service, List<Integer> path) {
            String name = add(Kind.SERVICE, file.getPackage(), service.getName(), path);
            for (int i = 0; i < service.getMethodCount(); i++) {
                List<Integer> at = below(path, ServiceDescriptorProto.METHOD_FIELD_NUMBER, i);
                add(Kind.RPC, name, service.getMethod(i).getName(), at);
            }
        }

        private void message(String parent, DescriptorProto message, List<Integer> path) {
            if (message.getOptions().getMapEntry()) {
                return; // the compiler's own, for a map
            }
            String name = add(Kind.MESSAGE, parent, message.getName(), path);
            for (int i = 0; i < message.getFieldCount(); i++) {
                FieldDescriptorProto field = message.getField(i);
                List<Integer> at = below(path, DescriptorProto.FIELD_FIELD_NUMBER, i);
                add(Kind.FIELD, name, field.getName(), at);
            }
            for (int i = 0; i < message.getOneofDeclCount(); i++) {
                List<Integer> at = below(path, DescriptorProto.ONEOF_DECL_FIELD_NUMBER, i);
                if (!isForOptional(message, i)) {
                    add(Kind.ONEOF, name, message.getOneofDecl(i).getName(), at);
                }
            }
            for (int i = 0; i < message.getNestedTypeCount(); i++) {
                List<Integer> at = below(path, DescriptorProto.NESTED_TYPE_FIELD_NUMBER, i);
                message(name, message.getNestedType(i), at);
            }
            for (int i = 0; i < message.getEnumTypeCount(); i++) {
                List<Integer> at = below(path, DescriptorProto.ENUM_TYPE_FIELD_NUMBER, i);
                enumeration(name, message.getEnumType(i), at);
            }
        }

        private static boolean isForOptional(DescriptorProto message, int oneof) {
            return message.getFieldList().stream()
                    .anyMatch(
                            field ->
                                    field.getProto3Optional()
                                            && field.hasOneofIndex()
                                            && field.getOneofIndex() == oneof);
        }

        private void enumeration(String parent, EnumDescriptorProto values, List<Integer> path) {
            String name = add(Kind.ENUM, parent, values.getName(), path);
            for (int i = 0; i < values.getValueCount(); i++) {
                List<Integer> at = below(path, EnumDescriptorProto.VALUE_FIELD_NUMBER, i);
                add(Kind.ENUM_VALUE, name, values.getValue(i).getName(), at);
            }
        }

        private String add(Kind kind, String parent, String name, List<Integer> path) {
            String full = parent + "." + name;
            found.add(new Element(kind, full, comments.getOrDefault(path, "")));
            return full;
        }

        private static List<Integer> below(List<Integer> path, int field, int index) {
            return Stream.concat(path.stream(), Stream.of(field, index)).toList();
        }
    }
}
