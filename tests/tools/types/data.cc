// data.cc - the same with namespaces, classes, base classes and static members.
#include <cstdint>
#include <cstdio>

namespace geo {
struct Point {
    int x, y;
};
class Shape {
  public:
    virtual ~Shape() {}
    Point centre;
    static int made;
    int *sides()
    {
        static int sides;
        return &sides;
    }
};
class Square : public Shape {
  public:
    int side;
    enum class Paint : char { Red, Blue } paint;
};
struct Empty {};
struct Both : Empty, Point {
    int both;
};
int Shape::made = 1;
Square square[3];
namespace {
Point hidden;
}
template <typename T, int N> struct Ring {
    T slot[N];
    unsigned head;
};
Ring<Point, 4> ring;
inline int shown;
} // namespace geo
geo::Both both;
const geo::Point *reference_to = &geo::hidden;

#define AT(what) std::printf("%p " #what "\n", (void *)&what)

int main()
{
    geo::Shape &first = geo::square[0];

    AT(geo::square[2].side);
    AT(geo::square[1].paint);
    std::printf("%p geo::square[1].centre.y\n",
                (void *)&geo::square[1].centre.y);
    AT(geo::Shape::made);
    std::printf("%p geo::(anonymous namespace)::hidden.y\n",
                (void *)&geo::hidden.y);
    AT(geo::ring.slot[3].x);
    AT(geo::ring.head);
    AT(geo::shown);
    AT(both.x);
    AT(both.both);
    AT(reference_to);
    std::printf("%p geo::Shape::sides::sides\n", (void *)first.sides());
    return 0;
}
